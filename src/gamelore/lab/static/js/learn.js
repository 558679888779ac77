// Training runs: a form made from their settings, live curves, the latest match.

import { h, s, replace, button, toast, count, short } from "./dom.js";
import { link } from "./link.js";
import { BoardView } from "./board.js";
import { Chart, selectCurve } from "./chart.js";

export function open(main, _, [wanted]) {
  return new LearnPage(main, wanted);
}

class LearnPage {
  constructor(main, wanted) {
    this.runs = new Map();
    this.samples = new Map();
    this.picked = new Set(wanted ? [wanted] : []);
    this.chart = new Chart("Score against reference players");
    this.board = new BoardView(() => {});
    this.list = h("div", { class: "stack", "aria-label": "Training runs", role: "group" });
    this.form = h("form", { class: "run-form", novalidate: true, onsubmit: (event) => this.start(event) });
    this.boardNote = h("div", { class: "stack" });
    this.boardPanel = h("section", { class: "panel", "aria-label": "The latest match", hidden: true },
      h("h2", {}, "The latest match of the learner"), h("div", { class: "watch-board" }, this.board.element, this.boardNote));
    this.chartPanel = h("section", { class: "panel", "aria-label": "Learning curves" },
      h("div", { class: "panel-head" }, h("h2", {}, "Learning curves"), h("span", { class: "faint" }, "score in greedy matches, with 95% intervals")), this.chart.element);
    this.emptyNote = h("p", { class: "empty" }, "Start a run: it learns by playing, and its curve is drawn here.");
    replace(main, h("div", { class: "columns" },
      h("section", { class: "panel", "aria-label": "A new run" }, h("h1", {}, "Learn a game"), this.form),
      h("div", { class: "stack" }, this.emptyNote, this.chartPanel, this.boardPanel, this.list)));
    this.unlisten = link.listen({
      RunState: ({ detail }) => this.note(detail.view),
      RunSample: ({ detail }) => { this.samples.set(detail.run, detail); this.renderSample(); },
      RunRemoved: ({ detail }) => { this.runs.delete(detail.run); this.picked.delete(detail.run); this.cards?.delete(detail.run); this.render(); },
    });
    this.cards = new Map();
    this.begin();
  }

  close() {
    this.unlisten();
    if (link.connected) link.post("LeaveRuns", {});
  }

  async begin() {
    const { runs } = await link.ask("FollowRuns");
    for (const run of runs) this.runs.set(run.run, run);
    if (!this.picked.size && runs.length) this.picked.add(runs[0].run);
    this.render();
    const form = await link.ask("ShowForm", { game: "" });
    this.buildForm(form.fields);
  }

  // ── the form ──

  buildForm(fields) {
    this.fields = fields;
    this.inputs = new Map();
    this.game = h("select", { id: "run-game" }, link.welcome.games.filter((one) => one.roles.length).map((one) => h("option", { value: one.game }, one.label)));
    this.game.value = localStorage.getItem("learn-game") || "tictactoe";
    if (!this.game.value) this.game.selectedIndex = 0;
    this.name = h("input", { id: "run-name", maxlength: 60, placeholder: "optional" });
    const groups = new Map();
    for (const field of fields) {
      if (!groups.has(field.group)) groups.set(field.group, []);
      groups.get(field.group).push(this.field(field));
    }
    const [[, mainFields], ...others] = groups;
    replace(this.form,
      h("fieldset", {}, h("legend", { class: "visually-hidden" }, "Main settings"),
        h("div", { class: "field" }, h("label", { for: "run-game" }, "game"), this.game),
        h("div", { class: "field" }, h("label", { for: "run-name" }, "name"), this.name), mainFields),
      others.map(([group, made]) => h("details", {}, h("summary", {}, group), h("fieldset", {}, h("legend", { class: "visually-hidden" }, group), made))),
      h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Start training")),
      (this.help = h("p", { class: "help", hidden: true, "aria-hidden": "true" })));
    this.form.addEventListener("change", () => this.showFields());
    this.form.addEventListener("focusin", (event) => this.showHelp(event.target));
    this.showFields();
  }

  field(field) {
    const id = `option-${field.key}`;
    let input;
    if (field.kind === "choice")
      input = h("select", { id }, field.default === null || field.default === undefined ? h("option", { value: "" }, "default") : null, field.choices.map((one) => h("option", { value: one }, one)));
    else if (field.kind === "flag") input = h("input", { id, type: "checkbox" });
    else if (field.kind === "text") input = h("input", { id, type: "text" });
    else input = h("input", { id, type: "number", step: field.kind === "whole" ? "1" : "any", min: field.least ?? undefined, max: field.most ?? undefined, placeholder: "default" });
    if (field.kind === "flag") input.checked = Boolean(field.default);
    else if (field.default !== null && field.default !== undefined) input.value = String(field.default);
    const wrong = h("span", { class: "wrong", hidden: true, id: `${id}-wrong` });
    input.setAttribute("aria-describedby", `${id}-help`);
    const box = h("div", { class: field.kind === "flag" ? "field flag" : "field", title: field.help },
      h("label", { for: id }, field.label), input, h("span", { class: "visually-hidden", id: `${id}-help` }, field.help), wrong);
    this.inputs.set(field.key, { field, input, box, wrong });
    return box;
  }

  /** What the setting means that one is at, or was at last: if it went away as a button is pressed, the page would move under the pointer. */
  showHelp(target) {
    const found = this.inputs.get(target.id.replace(/^option-/, ""));
    if (!found) return;
    this.help.hidden = false;
    this.help.textContent = `${found.field.label}: ${found.field.help}`;
  }

  /** Hide what has no meaning for what is chosen. */
  showFields() {
    const chosen = (key) => this.inputs.get(key)?.input.value;
    for (const { field, box } of this.inputs.values())
      box.hidden = field.shown_for.length > 0 && !field.shown_for.some((one) => Object.entries(one).every(([key, value]) => chosen(key) === value));
    for (const details of this.form.querySelectorAll("details"))
      details.hidden = [...details.querySelectorAll(".field")].every((box) => box.hidden);
  }

  /** What differs from the defaults. */
  read() {
    const options = {};
    for (const { field, input, box } of this.inputs.values()) {
      if (box.hidden) continue;
      if (field.kind === "flag") {
        if (input.checked !== Boolean(field.default)) options[field.key] = input.checked;
        continue;
      }
      const text = input.value.trim();
      if (text === "" || text === String(field.default ?? "")) continue;
      options[field.key] = field.kind === "whole" || field.kind === "number" ? Number(text) : text;
    }
    if (options.minutes !== undefined && options.matches === undefined) return options;
    options.matches ??= this.inputs.get("matches").field.default;
    return options;
  }

  async start(event) {
    event.preventDefault();
    for (const { wrong } of this.inputs.values()) wrong.hidden = true;
    localStorage.setItem("learn-game", this.game.value);
    try {
      const { run } = await link.ask("StartRun", { game: this.game.value, options: this.read(), name: this.name.value });
      for (const key of this.picked) if (this.runs.get(key)?.game !== this.game.value) this.picked.delete(key);
      this.picked.add(run);
      if (this.picked.size > 4) this.picked = new Set([...this.picked].slice(-4));
      this.render();
    } catch (error) {
      const fault = this.inputs.get(error.setting);
      if (fault) {
        fault.wrong.textContent = error.message;
        fault.wrong.hidden = false;
        const details = fault.box.closest("details");
        if (details) details.open = true;
        fault.input.focus();
      } else toast(error.message);
    }
  }

  // ── the runs ──

  note(view) {
    if (this.runs.has(view.run)) this.runs.set(view.run, view);
    else this.runs = new Map([[view.run, view], ...this.runs]);
    this.render();
  }

  render() {
    const runs = [...this.runs.values()];
    this.emptyNote.hidden = runs.length > 0;
    this.chartPanel.hidden = !runs.length;
    const cards = runs.map((run) => this.card(run));
    if (cards.length !== this.list.childElementCount || cards.some((card, i) => this.list.children[i] !== card)) replace(this.list, cards);
    this.renderChart();
    this.renderSample();
  }

  renderChart() {
    const picked = [...this.picked].map((key) => this.runs.get(key)).filter(Boolean);
    const series = [];
    picked.forEach((run, i) => {
      const opponents = [...new Set(run.curve.map((one) => one.opponent))];
      opponents.forEach((opponent, j) =>
        series.push({ name: `${picked.length > 1 ? `${run.name} ` : ""}against ${opponent}`, colour: picked.length > 1 ? i : j, dashed: picked.length > 1 && j > 0, points: selectCurve(run, opponent) }));
    });
    const limit = Math.max(0, ...picked.map((run) => run.limit || 0));
    this.chart.show(series, limit);
  }

  card(run) {
    let card = this.cards.get(run.run);
    if (!card) {
      const part = (tag, props) => h(tag, props);
      card = h("article", { class: "run" });
      card.parts = {
        pick: h("input", { type: "checkbox", "aria-label": `Show the curve of ${run.name}`, onchange: (event) => {
          if (event.target.checked) this.picked.add(run.run); else this.picked.delete(run.run);
          this.render();
        } }),
        badge: part("span", { class: "badge" }),
        state: part("span", { class: "faint number" }),
        bar: h("progress", { max: 1, value: 0, "aria-label": `Progress of ${run.name}` }),
        message: part("p", { class: "error-text" }),
        pause: button("Pause", () => link.ask("PauseRun", { run: run.run }), { class: "quiet small" }),
        resume: button("Resume", () => link.ask("ResumeRun", { run: run.run }), { class: "quiet small" }),
        more: button("Train on", () => this.trainOn(run.run), { class: "quiet small" }),
        play: button("Play against it", () => this.play(run.run), { class: "quiet small" }),
        which: h("select", { "aria-label": `Which state of ${run.name} to play against` }),
        remove: button("Delete", () => this.remove(run.run), { class: "quiet small danger" }),
      };
      const { parts } = card;
      card.append(
        h("div", { class: "run-head" }, h("label", { class: "row" }, parts.pick, h("strong", {}, run.name)), parts.badge, parts.state),
        h("p", { class: "faint" }, `${run.label}: ${run.summary}`),
        parts.bar, parts.message,
        h("div", { class: "tools" }, parts.pause, parts.resume, parts.more, parts.which, parts.play, parts.remove));
      this.cards.set(run.run, card);
    }
    const { parts } = card;
    const active = ["running", "starting", "pausing"].includes(run.status);
    card.classList.toggle("picked", this.picked.has(run.run));
    card.dataset.status = run.status;
    card.dataset.run = run.run;
    parts.pick.checked = this.picked.has(run.run);
    parts.badge.textContent = run.status;
    parts.badge.className = `badge ${run.status}`;
    const goal = run.limit ? ` of ${count(run.limit)}` : "";
    parts.state.textContent = `${count(run.matches)}${goal} matches${run.per_second ? ` · ${short(run.per_second)}/s` : ""}`;
    parts.bar.hidden = !run.limit;
    parts.bar.value = run.limit ? run.matches / run.limit : 0;
    parts.message.textContent = run.message;
    parts.message.hidden = !run.message;
    parts.pause.hidden = !active;
    parts.pause.disabled = run.status === "pausing";
    parts.resume.hidden = !["paused", "failed"].includes(run.status);
    parts.more.hidden = run.status !== "done";
    parts.play.disabled = parts.which.disabled = !run.matches;
    const states = ["", ...run.snapshots.map(String)];
    if (parts.which.options.length !== states.length) {
      const kept = parts.which.value;
      replace(parts.which, states.map((one) => h("option", { value: one }, one ? `after ${count(Number(one))}` : "as it is now")));
      parts.which.value = states.includes(kept) ? kept : "";
    }
    return card;
  }

  async trainOn(key) {
    const run = this.runs.get(key);
    await link.ask("ResumeRun", { run: key, matches: Math.max(run.matches, run.limit || 0) * 2 });
  }

  async play(key) {
    const run = this.runs.get(key);
    const which = this.cards.get(key).parts.which.value;
    const spec = which ? `run:${key}:${which}` : `run:${key}`;
    const roles = link.welcome.games.find((one) => one.game === run.game)?.roles.filter((role) => role !== "random") || [];
    const learned = roles[run.role === "second" ? 1 : 0];
    const players = Object.fromEntries(roles.map((role) => [role, role === learned ? spec : "person"]));
    const { match } = await link.ask("OpenMatch", { game: run.game, players, pace: 0.25 });
    location.hash = `#/match/${match}`;
  }

  async remove(key) {
    const run = this.runs.get(key);
    if (window.confirm(`Delete ${run.name} and all it has learned?`)) await link.ask("RemoveRun", { run: key });
  }

  // ── the latest match ──

  renderSample() {
    const key = [...this.picked].toReversed().find((one) => this.samples.has(one));
    const found = key && this.samples.get(key);
    this.boardPanel.hidden = !found;
    if (!found || found === this.shownSample) return;
    this.shownSample = found;
    this.board.show(found.view);
    const { sample } = found;
    const values = sample.values.map((value, i) => [i, value]).filter(([, value]) => value !== null && value !== undefined);
    const [width, height] = [300, 90];
    const x = (step) => 6 + (step / Math.max(1, sample.values.length - 1)) * (width - 12);
    const y = (value) => 6 + (1 - Math.max(0, Math.min(100, value)) / 100) * (height - 12);
    replace(this.boardNote,
      h("p", {}, `After ${count(sample.trained)} matches of training: ${sample.moves.length} moves.`),
      values.length > 1
        ? h("div", { class: "chart", role: "img", "aria-label": `What the learner expects for ${sample.role}, move by move` },
            s("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
              s("line", { class: "grid", x1: 6, x2: width - 6, y1: y(50), y2: y(50) }),
              s("path", { class: "curve s0", d: `M${values.map(([i, value]) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}` })))
        : null,
      values.length ? h("p", { class: "faint" }, `What it expects for ${sample.role}, move by move: now ${values.at(-1)[1].toFixed(0)} of 100.`) : null,
      h("a", { class: "button quiet small", href: `#/position/${encodeURIComponent(found.view.game)}/${encodeURIComponent(JSON.stringify(sample.moves))}` }, "Step through it"));
  }
}
