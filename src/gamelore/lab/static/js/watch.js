// Matches to watch: between agents, and records of the folder.

import { h, replace, button } from "./dom.js";
import { link } from "./link.js";
import { playerSelect, findRuns } from "./setup.js";
import { describePlayer } from "./match.js";

export function open(main) {
  return new WatchPage(main);
}

class WatchPage {
  constructor(main) {
    this.form = h("form", { class: "setup-form", onsubmit: (event) => this.start(event) });
    this.live = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Matches of the lab" });
    this.records = h("div", { class: "stack" });
    replace(main, h("div", { class: "columns" },
      h("div", { class: "stack" },
        h("section", { class: "panel", "aria-label": "A new match" }, h("h1", {}, "Watch a match"), this.form),
        h("section", { class: "panel", "aria-label": "A new tournament" }, h("h2", {}, "Or a tournament"),
          h("form", { class: "setup-form", onsubmit: (event) => this.startTournament(event) },
            h("p", { class: "faint" }, "Everybody meets everybody in the game above, in every order of roles."),
            h("div", { class: "field" }, h("label", { for: "agents" }, "Agents (several)"), (this.agents = h("select", { id: "agents", multiple: true, size: 7 }))),
            h("div", { class: "field" }, h("label", { for: "rounds" }, "Rounds"), (this.rounds = h("input", { id: "rounds", type: "number", min: 1, max: 100, required: true, value: "1" }))),
            h("div", { class: "row" }, h("button", { type: "submit" }, "Start the tournament"))))),
      h("div", { class: "stack" },
        (this.tournaments = h("div", { class: "stack" })),
        h("section", { class: "panel" }, h("div", { class: "panel-head" }, h("h2", {}, "Matches of this lab"), button("Look again", () => this.list(), { class: "quiet small" })), this.live),
        (this.others = h("div", { class: "stack" })),
        this.records)));
    this.buildForm([]);
    this.findRuns();
    this.list();
    this.timer = setInterval(() => document.hidden || this.list().catch(() => {}), 4000);
  }

  close() {
    clearInterval(this.timer);
  }

  buildForm(runs) {
    const games = link.welcome.games.filter((one) => one.roles.length);
    const before = this.game?.value || localStorage.getItem("watch-game") || "connect-four";
    this.game = h("select", { id: "watch-game", onchange: () => this.chooseGame() }, games.map((one) => h("option", { value: one.game }, one.label)));
    this.game.value = before;
    if (!this.game.value) this.game.selectedIndex = 0;
    const entry = games.find((one) => one.game === this.game.value);
    const roles = entry.roles.filter((role) => role !== "random");
    this.players = roles.map((role, i) => [role, playerSelect(`watch-${i}`, i ? "level-6" : "level-4", runs, false)]);
    const chosen = new Set([...this.agents.selectedOptions].map((one) => one.value));
    const agents = [...link.welcome.agents.map((one) => [one.spec, one.label]), ...runs.map((run) => [`run:${run.run}`, run.name])];
    replace(this.agents, agents.map(([spec, label]) => h("option", { value: spec, selected: chosen.has(spec) }, label)));
    replace(this.form,
      h("div", { class: "field" }, h("label", { for: "watch-game" }, "Game"), this.game),
      this.players.map(([role, select], i) => h("div", { class: "field" }, h("label", { for: `watch-${i}` }, role), select)),
      h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Watch")));
  }

  async chooseGame() {
    localStorage.setItem("watch-game", this.game.value);
    this.buildForm([]);
    await this.findRuns();
  }

  /** What was learned of the game can play too. */
  async findRuns() {
    const game = this.game.value;
    const runs = await findRuns(game);
    if (runs.length && this.game.value === game) this.buildForm(runs);
  }

  async start(event) {
    event.preventDefault();
    const players = Object.fromEntries(this.players.map(([role, select]) => [role, select.value]));
    const { match } = await link.ask("OpenMatch", { game: this.game.value, players, pace: 0.8 });
    location.hash = `#/match/${match}`;
  }

  async startTournament(event) {
    event.preventDefault();
    const agents = [...this.agents.selectedOptions].map((one) => one.value);
    await link.ask("StartTournament", { game: this.game.value, agents, rounds: Number(this.rounds.value) });
    await this.list();
  }

  tournament(one) {
    return h("section", { class: "panel" },
      h("div", { class: "panel-head" }, h("h2", {}, `Tournament ${one.name}`),
        h("span", { class: "tools" },
          one.match ? h("a", { class: "button quiet small", href: `#/match/${one.match}` }, "Watch the match") : null,
          one.running ? button("Stop", () => link.ask("StopTournament", { name: one.name }), { class: "quiet small" }) : null)),
      h("p", { class: "faint" }, `${one.played} of ${one.matches} matches of ${one.game}${one.message ? `: ${one.message}` : one.running ? "" : ": over"}. The standings are with its records below.`),
      h("progress", { max: one.matches, value: one.played, "aria-label": `Progress of ${one.name}` }));
  }

  async list() {
    const found = await link.ask("ListMatches");
    const text = JSON.stringify(found, (key, value) => (key === "re" ? 0 : value));
    if (text === this.shown) return;
    this.shown = text;
    replace(this.tournaments, found.tournaments.slice(0, 3).map((one) => this.tournament(one)));
    replace(this.live, found.matches.length
      ? h("table", { class: "list" },
          h("thead", {}, h("tr", {}, ["Game", "Players", "Moves", "Result"].map((one) => h("th", { scope: "col" }, one)))),
          h("tbody", {}, found.matches.map((one) => h("tr", {},
            h("td", {}, h("a", { href: `#/match/${one.match}` }, one.game)),
            h("td", {}, Object.entries(one.players).map(([role, who]) => `${role}: ${who}`).join(", ")),
            h("td", { class: "number" }, one.moves),
            h("td", {}, one.over ? Object.values(one.goals).join(" : ") : "going on")))))
      : h("p", { class: "faint" }, "None yet. Matches of people and of agents are listed here while the lab is open."));
    replace(this.others, found.live?.length
      ? h("section", { class: "panel" }, h("h2", {}, "Matches of other programs, going on"),
          h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Matches of other programs" }, recordTable(found.live)))
      : null);
    replace(this.records,
      found.groups.map((group) => this.group(group)),
      found.groups.length ? null : h("section", { class: "panel" }, h("h2", {}, "Records"), h("p", { class: "faint" }, `Match records (.json) in ${link.welcome.folder} are listed here: of gamelore match, of tournaments, of ggp-base. Matches that these programs are playing are shown move by move.`)));
  }

  group(group) {
    return h("section", { class: "panel" },
      h("div", { class: "panel-head" }, h("h2", {}, `Records in ${group.folder === "." ? "your folder" : group.folder}`), h("span", { class: "faint" }, `${group.records.length}`)),
      group.standings.length
        ? h("table", { class: "list" },
            h("thead", {}, h("tr", {}, ["Player", "Matches", "Score", "95%"].map((one) => h("th", { scope: "col" }, one)))),
            h("tbody", {}, group.standings.map((one) => h("tr", {}, h("td", {}, one.player), h("td", {}, one.matches), h("td", {}, `${(100 * one.score).toFixed(0)}%`), h("td", {}, `${(100 * one.low).toFixed(0)}–${(100 * one.high).toFixed(0)}`)))))
        : null,
      h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Records in ${group.folder}` },
        recordTable(group.records)));
  }
}

function recordTable(records) {
  return h("table", { class: "list" },
    h("thead", {}, h("tr", {}, ["Game", "Players", "Moves", "Goals", "Tournament"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, records.map((one) => h("tr", {},
      h("td", {}, h("a", { href: `#/record/${one.path.split("/").map(encodeURIComponent).join("/")}` }, one.game || "unknown")),
      h("td", {}, one.players.map(describePlayer).join(" – ")),
      h("td", { class: "number" }, one.moves),
      h("td", {}, one.live ? "going on" : one.goals.map((goal) => goal ?? "–").join(" : ")),
      h("td", {}, one.tournament)))));
}
