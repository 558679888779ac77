// Transfer: the tree patterns of a run, and the same game with and without them.

import { h, s, replace, toast, count } from "./dom.js";
import { link } from "./link.js";
import { Chart, selectCurve } from "./chart.js";

export function open(main) {
  return new TransferPage(main);
}

class TransferPage {
  constructor(main) {
    this.runs = new Map();
    this.race = JSON.parse(localStorage.getItem("race") || "[]");
    this.chart = new Chart("The same game with and without tree patterns");
    this.source = h("select", { id: "source", onchange: () => this.showPatterns() });
    this.patterns = h("div", { class: "patterns" });
    this.note = h("p", { class: "faint" });
    const games = link.welcome.games.filter((one) => one.roles.filter((role) => role !== "random").length === 2);
    this.game = h("select", { id: "target" }, games.map((one) => h("option", { value: one.game }, one.label)));
    this.game.value = "connect-3";
    if (!this.game.value) this.game.selectedIndex = 0;
    this.matches = h("input", { id: "race-matches", type: "number", min: 100, max: 1000000, required: true, value: "3000" });
    this.startButton = h("button", { type: "submit", class: "primary" }, "Start the race");
    this.racePanel = h("section", { class: "panel", "aria-label": "The race" }, h("div", { class: "panel-head" }, h("h2", {}, "The race"), (this.raceState = h("span", { class: "faint" }))), this.chart.element);
    replace(main, h("div", { class: "columns" },
      h("section", { class: "panel", "aria-label": "From one game to another" },
        h("h1", {}, "Transfer"),
        h("p", { class: "faint" }, "A tree pattern is the shape of the game tree under a move: W, D and L are wins, draws and losses, N goes on. What one game teaches about a shape is where another game starts."),
        h("form", { class: "setup-form", onsubmit: (event) => this.start(event) },
          h("div", { class: "field" }, h("label", { for: "source" }, "Patterns of the run"), this.source),
          h("div", { class: "field" }, h("label", { for: "target" }, "Learn the game"), this.game),
          h("div", { class: "field" }, h("label", { for: "race-matches" }, "Matches"), this.matches),
          h("div", { class: "row" }, this.startButton, h("a", { class: "button quiet", href: "#/learn" }, "New source run")))),
      h("div", { class: "stack" }, this.racePanel,
        h("section", { class: "panel", "aria-label": "Tree patterns" }, h("h2", {}, "Tree patterns"), this.note, this.patterns))));
    this.unlisten = link.listen({
      RunState: ({ detail }) => { this.runs.set(detail.view.run, detail.view); this.render(); },
      RunRemoved: ({ detail }) => { this.runs.delete(detail.run); this.render(); },
    });
    this.begin();
  }

  close() {
    this.unlisten();
    if (link.connected) link.post("LeaveRuns", {});
  }

  async begin() {
    const { runs } = await link.ask("FollowRuns");
    for (const run of runs) this.runs.set(run.run, run);
    this.render();
  }

  render() {
    this.renderSources();
    this.renderRace();
  }

  /** The runs that have patterns; the list changes when one of them comes or goes. */
  renderSources() {
    const sources = [...this.runs.values()].filter((run) => run.has_patterns && run.matches > 1);
    const keys = sources.map((run) => run.run);
    if (this.sources && keys.join() === this.sources.join()) return;
    this.sources = keys;
    const before = this.source.value;
    replace(this.source, sources.map((run) => h("option", { value: run.run }, `${run.name} (${count(run.matches)} matches)`)));
    const best = sources.find((run) => run.label === "tictactoe" && !run.knowledge);
    if (keys.includes(before)) this.source.value = before;
    else if (best) this.source.value = best.run;
    this.startButton.disabled = !sources.length;
    if (!sources.length) {
      replace(this.patterns);
      this.note.textContent = "There is no run yet whose patterns could be used: learn tic-tac-toe with TD(λ) and a table first.";
    } else if (this.source.value !== before) this.showPatterns();
  }

  async showPatterns() {
    this.note.textContent = "Valuing the patterns …";
    replace(this.patterns);
    try {
      const found = await link.ask("ShowPatterns", { run: this.source.value });
      this.note.textContent = `${found.patterns.length} patterns with their mean values, from 0 to 100; they are in ${found.file}.`;
      replace(this.patterns, found.patterns.slice(0, 60).map((one) => h("figure", { class: "pattern" },
        drawTree(one.tree), h("strong", {}, one.value.toFixed(0)), h("code", {}, one.pattern), h("span", { class: "faint" }, `${count(one.visits)} visits`))));
    } catch (error) {
      this.note.textContent = error.message;
    }
  }

  async start(event) {
    event.preventDefault();
    this.startButton.disabled = true;
    try {
      const { runs } = await link.ask("StartRace", { source: this.source.value, game: this.game.value, matches: Number(this.matches.value) });
      this.race = runs;
      localStorage.setItem("race", JSON.stringify(runs));
    } catch (error) {
      toast(error.message);
    }
    this.startButton.disabled = false;
    this.renderRace();
  }

  renderRace() {
    const runs = this.race.map((key) => this.runs.get(key)).filter(Boolean);
    this.racePanel.hidden = !runs.length;
    if (!runs.length) return;
    const name = (run) => (run.knowledge ? "with tree patterns" : "from scratch");
    const opponents = [...new Set(runs.flatMap((run) => run.curve.map((one) => one.opponent)))];
    const against = opponents.at(-1);
    this.chart.show(runs.map((run, i) => ({ name: name(run), colour: i, points: selectCurve(run, against) })), runs[0].limit);
    const failed = runs.find((run) => run.message);
    this.raceState.textContent = failed ? failed.message : `${runs[0].label}${against ? `, against ${against}` : ""}: ${runs.map((run) => `${name(run)} ${run.status}`).join(", ")}`;
  }
}

/** A tree of outcomes: circles on two or more levels. */
function drawTree(tree) {
  const places = [];
  const lines = [];
  let next = 0;
  const walk = (node, depth) => {
    const mine = { node, depth, x: 0 };
    places.push(mine);
    if (Array.isArray(node)) {
      const below = node.map((one) => walk(one, depth + 1));
      mine.x = below.reduce((sum, one) => sum + one.x, 0) / below.length;
      for (const one of below) lines.push([mine, one]);
    } else mine.x = next++;
    return mine;
  };
  walk(tree, 0);
  const width = Math.max(1, next);
  const deep = Math.max(...places.map((one) => one.depth));
  const x = (one) => (one.x + 0.5) * 24;
  const y = (one) => 12 + one.depth * (50 / Math.max(1, deep));
  return s("svg", { viewBox: `0 0 ${width * 24} 74`, "aria-hidden": "true" },
    lines.map(([a, b]) => s("line", { x1: x(a), y1: y(a), x2: x(b), y2: y(b) })),
    places.map((one) => {
      const name = Array.isArray(one.node) ? "" : one.node;
      const known = ["W", "L", "D", "N"].includes(name);
      return s("g", {}, s("circle", { class: known ? `leaf-${name}` : "", cx: x(one), cy: y(one), r: name ? 9 : 5 }),
        name ? s("text", { class: known && name !== "N" ? "" : "plain", x: x(one), y: y(one) }, name) : null);
    }));
}
