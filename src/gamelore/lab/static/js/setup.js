// The first page: which game, who plays, and a look at the board.

import { h, replace, button, debounce, toast } from "./dom.js";
import { link } from "./link.js";
import { BoardView } from "./board.js";

const FAVOURITES = ["tictactoe", "connect-four", "breakthrough-6x6", "othello-6x6", "hex-5x5", "english-draughts"];

export function open(main, _, [wanted]) {
  const page = new Setup(main, wanted);
  return page;
}

/** Selects for a player of a role; `runs` are training runs of the game. */
export function playerSelect(id, value, runs, withPerson = true) {
  const { agents } = link.welcome;
  const option = (spec, label, title) => h("option", { value: spec, title }, label);
  const levels = agents.filter((one) => one.spec.startsWith("level-"));
  const others = agents.filter((one) => !one.spec.startsWith("level-"));
  const select = h(
    "select",
    { id },
    withPerson ? option("person", "You (a person)") : null,
    h("optgroup", { label: "Levels of strength" }, levels.map((one) => option(one.spec, one.label, one.description))),
    h("optgroup", { label: "Players" }, others.map((one) => option(one.spec, `${one.label}: ${one.description}`))),
    runs.length
      ? h("optgroup", { label: "What was learned here" },
          runs.flatMap((run) => [
            option(`run:${run.run}`, `${run.name}, as it is now`),
            ...run.snapshots.map((matches) => option(`run:${run.run}:${matches}`, `${run.name}, after ${matches.toLocaleString("en")}`)),
          ]))
      : null,
  );
  if ([...select.options].some((one) => one.value === value)) select.value = value;
  return select;
}

export async function findRuns(game) {
  const { runs } = await link.ask("FollowRuns");
  link.post("LeaveRuns", {});
  return runs.filter((run) => run.game === game && run.matches > 0);
}

class Setup {
  constructor(main, wanted) {
    this.games = link.welcome.games.filter((one) => one.roles.length);
    this.board = new BoardView(() => {});
    this.search = h("input", { type: "search", id: "search", placeholder: "Find a game …", "aria-label": "Find a game", oninput: debounce(120, () => this.list()) });
    this.shown = h("div", { class: "game-list", role: "listbox", "aria-label": "Games", tabindex: "0" });
    this.shown.addEventListener("keydown", (event) => this.onKey(event));
    this.form = h("form", { class: "setup-form", onsubmit: (event) => this.start(event) });
    this.about = h("p", { class: "faint" });
    this.title = h("h1", {});
    const file = h("input", { type: "file", accept: ".json,application/json", id: "import", class: "visually-hidden", onchange: () => this.importRecord(file) });
    replace(
      main,
      h("div", { class: "setup" },
        h("section", { class: "panel games", "aria-label": "Choose a game" },
          this.search, this.shown,
          h("div", { class: "row" },
            h("label", { class: "button quiet", for: "import" }, "Import a match record"), file)),
        h("section", { class: "panel chosen", "aria-label": "The game" },
          h("div", { class: "chosen-head" }, this.title, this.about),
          h("div", { class: "chosen-body" }, this.board.element, this.form))),
    );
    this.buildList();
    const last = wanted || localStorage.getItem("game") || "tictactoe";
    this.choose(this.games.some((one) => one.game === last) ? last : this.games[0].game);
  }

  /** The entries of all games, favourites first; they stay, so that no click is lost. */
  buildList() {
    const rank = (one) => {
      const place = FAVOURITES.indexOf(one.game);
      return one.game.startsWith("file:") ? -1 : place < 0 ? FAVOURITES.length : place;
    };
    this.games.sort((a, b) => rank(a) - rank(b));
    this.options = this.games.map((one) =>
      h("div", { role: "option", id: `game-${one.game}`, class: "game", "data-game": one.game, onclick: () => this.choose(one.game) },
        h("span", { class: "game-name" }, one.label),
        h("span", { class: "faint" }, one.description)));
    this.none = h("div", { role: "option", class: "game", "aria-selected": "false", "aria-disabled": "true" }, "No game is called that.");
    replace(this.shown, this.options, this.none);
  }

  list() {
    const words = this.search.value.toLowerCase().split(/\s+/);
    const fits = (one) => words.every((word) => `${one.label} ${one.description}`.toLowerCase().includes(word));
    this.found = this.games.filter(fits);
    this.games.forEach((one, i) => {
      this.options[i].hidden = !fits(one);
      this.options[i].setAttribute("aria-selected", String(one.game === this.game));
    });
    this.none.hidden = this.found.length > 0;
    this.shown.setAttribute("aria-activedescendant", `game-${this.game}`);
  }

  onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.found.length) return;
    event.preventDefault();
    const at = this.found.findIndex((one) => one.game === this.game);
    const next = this.found[Math.max(0, Math.min(this.found.length - 1, at + step))];
    this.choose(next.game);
  }

  async choose(game) {
    this.game = game;
    localStorage.setItem("game", game);
    this.entry = this.games.find((one) => one.game === game);
    this.title.textContent = this.entry.label;
    this.about.textContent = this.entry.description;
    this.list();
    this.shown.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    this.showForm([]);
    try {
      const view = await link.ask("ShowPosition", { place: { game, moves: [] } });
      if (this.game === game) this.board.show(view);
      const runs = await findRuns(game);
      if (this.game === game && runs.length) this.showForm(runs);
    } catch (error) {
      if (this.game === game) this.about.textContent = error.message;
    }
  }

  showForm(runs) {
    const roles = this.entry.roles.filter((role) => role !== "random");
    const before = JSON.parse(localStorage.getItem("players") || "[]");
    this.players = roles.map((role, i) => {
      const usual = before[i] || (i ? "level-3" : "person");
      return [role, playerSelect(`player-${i}`, usual, runs)];
    });
    this.clock = h("select", { id: "clock" },
      [["", "No clock"], ["5", "5 seconds a move"], ["15", "15 seconds a move"], ["30", "30 seconds a move"], ["120", "2 minutes a move"]].map(([value, label]) => h("option", { value }, label)));
    replace(
      this.form,
      this.players.map(([role, select], i) => h("div", { class: "field" }, h("label", { for: `player-${i}` }, role), select)),
      h("div", { class: "field" }, h("label", { for: "clock" }, "Clock"), this.clock),
      h("div", { class: "row" },
        h("button", { type: "submit", class: "primary" }, "Start the match"),
        h("a", { class: "button quiet", href: `#/position/${encodeURIComponent(this.game)}` }, "Analysis board")),
    );
  }

  async start(event) {
    event.preventDefault();
    const players = Object.fromEntries(this.players.map(([role, select]) => [role, select.value]));
    localStorage.setItem("players", JSON.stringify(Object.values(players)));
    const persons = Object.values(players).includes("person");
    const { match } = await link.ask("OpenMatch", {
      game: this.game,
      players,
      seconds: this.clock.value ? Number(this.clock.value) : null,
      pace: persons ? 0.25 : 0.8,
    });
    location.hash = `#/match/${match}`;
  }

  async importRecord(input) {
    const [file] = input.files;
    if (!file) return;
    if (file.size > 4e6) return toast("a record has 4 MB at most");
    const record = await link.ask("ImportRecord", { text: await file.text() });
    location.hash = `#/position/${encodeURIComponent(record.place.game)}/${encodeURIComponent(JSON.stringify(record.place.moves))}`;
  }
}
