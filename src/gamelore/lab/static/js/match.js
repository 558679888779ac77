// A match: played, watched, stepped through and analysed, on one page.

import { h, replace, button, toast, download } from "./dom.js";
import { link } from "./link.js";
import { BoardView, swatch } from "./board.js";
import { AnalysisPanel } from "./analysis.js";

export function open(main, kind, rest) {
  return new MatchPage(main, kind, rest);
}

const KEYS = [
  ["a", "analysis on and off"],
  ["← →", "one move back and forward"],
  ["Home End", "first and last position"],
  ["u", "take back"],
  ["h", "a hint"],
  ["f", "turn the board"],
  ["s", "switch sides"],
  ["n", "a new match with the same players"],
  ["?", "these keys"],
];

class MatchPage {
  constructor(main, kind, rest) {
    this.kind = kind;
    this.analysing = kind !== "match";
    this.live = null;
    this.line = [];
    this.labels = [];
    this.base = null;
    this.cursor = 0;
    this.flipped = false;
    this.views = new Map();
    this.board = new BoardView((role, move) => this.move(role, move));
    this.panel = new AnalysisPanel(this);
    this.build(main);
    this.unlisten = link.listen({
      MatchState: ({ detail }) => detail.match === this.match && this.update(detail),
      RecordView: ({ detail }) => this.followed && !detail.re && detail.match === this.followed && this.grow(detail),
    });
    this.onVisible = () => this.panel.refresh();
    document.addEventListener("visibilitychange", this.onVisible);
    this.ticker = setInterval(() => this.tick(), 250);
    this.begin(rest).catch((error) => {
      replace(main, h("div", { class: "empty" }, h("p", {}, error.message), h("a", { class: "button", href: "#/play" }, "To the games")));
    });
  }

  close() {
    this.unlisten();
    document.removeEventListener("visibilitychange", this.onVisible);
    clearInterval(this.ticker);
    this.panel.close();
    if (this.match && link.connected) link.ask("LeaveMatch", { match: this.match }).catch(() => {});
    if (this.followed && link.connected) link.ask("LeaveRecord", { path: this.path }).catch(() => {});
  }

  async begin(rest) {
    if (this.kind === "match") {
      this.match = rest[0];
      await link.ask("FollowMatch", { match: this.match });
      return;
    }
    let place;
    if (this.kind === "position") place = { game: rest[0], moves: rest[1] ? JSON.parse(rest[1]) : [] };
    else {
      this.path = rest.join("/");
      const record = await link.ask("FollowRecord", { path: this.path });
      place = record.place;
      this.players = record.players;
      this.followed = record.live ? record.match : null;
      this.analysing = !record.live; // the players need the processor
    }
    this.game = place.game;
    this.line = place.moves;
    this.base = this.kind === "record" ? this.line : null;
    await this.labelLine();
    await this.go(this.kind === "record" && !this.followed ? 0 : this.line.length);
    if (this.kind === "record" && this.line.length && !this.followed) this.panel.review();
  }

  // ── the parts of the page ──

  build(main) {
    this.title = h("h1", { class: "match-title" });
    this.people = h("div", { class: "people" });
    this.result = h("p", { class: "result", role: "status" });
    this.moves = h("ol", { class: "moves", "aria-label": "Moves" });
    this.bar = h("div", { class: "eval gl-board", "data-theme": "auto", role: "meter", "aria-label": "Evaluation", "aria-valuemin": 0, "aria-valuemax": 100, hidden: true },
      h("div", { class: "eval-fill" }), h("span", { class: "eval-text" }));
    const tool = (label, key, act, text) => button(text, act, { class: "icon", "aria-label": label, title: `${label}${key ? ` (${key})` : ""}` });
    this.backs = tool("One move back", "←", () => this.go(this.cursor - 1), "‹");
    this.toggle = button("Analyse", () => this.setAnalysing(!this.analysing), { class: "toggle", "aria-pressed": "false", title: "Analysis on and off (a)" });
    this.playTools = h("span", { class: "tools", hidden: this.kind !== "match" },
      button("Take back", () => this.takeBack(), { class: "quiet", title: "Take back (u)" }),
      button("Hint", () => this.hint(), { class: "quiet", title: "A hint (h)" }),
      button("Switch sides", () => this.switchSides(), { class: "quiet", title: "Switch sides (s)" }),
      button("New match", () => this.again(), { class: "quiet", title: "A new match (n)" }));
    this.speed = h("select", { "aria-label": "Speed", onchange: () => this.setPace() },
      [["3", "slow"], ["0.8", "normal"], ["0.2", "fast"], ["0", "at once"]].map(([value, label]) => h("option", { value }, label)));
    this.speed.value = "0.8";
    this.pauseButton = button("Pause", () => this.setPace(!this.live.waiting), { class: "quiet" });
    this.watchTools = h("span", { class: "tools", hidden: true }, this.pauseButton, this.speed);
    this.dialog = h("dialog", { class: "keys", "aria-label": "Keys" },
      h("h2", {}, "Keys"),
      h("dl", {}, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
      button("Close", () => this.dialog.close(), { class: "primary" }));
    replace(
      main,
      h("div", { class: "match" },
        h("section", { class: "stage", "aria-label": "Board" },
          h("div", { class: "match-head" }, this.title, this.people),
          h("div", { class: "table" }, this.bar, this.board.element),
          this.result,
          h("div", { class: "toolbar", role: "toolbar", "aria-label": "Match" },
            h("span", { class: "tools steps" },
              tool("First position", "Home", () => this.go(0), "«"), this.backs,
              tool("One move forward", "→", () => this.go(this.cursor + 1), "›"),
              tool("Last position", "End", () => this.go(this.line.length), "»")),
            this.toggle, this.playTools, this.watchTools,
            h("span", { class: "tools" },
              tool("Turn the board", "f", () => this.flip(), "⇅"),
              tool("Keys", "?", () => this.dialog.showModal(), "?")))),
        h("aside", { class: "side", "aria-label": "Analysis and moves" },
          this.panel.element,
          h("section", { class: "panel" },
            h("div", { class: "panel-head" }, h("h2", {}, "Moves"),
              h("span", { class: "tools" },
                button("Copy link", () => this.share(), { class: "quiet small" }),
                button("Export", () => this.exportRecord(), { class: "quiet small" }),
                (this.playOn = button("Play from here", () => this.playFromHere(), { class: "quiet small" })),
                (this.toGame = button("Back to the match", () => this.backToGame(), { class: "quiet small", hidden: true })))),
            this.moves)),
        this.dialog),
    );
  }

  // ── what happens ──

  update(state) {
    const first = this.live === null;
    const followed = !this.analysing && (first || this.cursor === this.live.moves.length);
    this.live = state;
    this.receivedAt = performance.now();
    this.game = state.game;
    this.views.clear();
    if (this.base === null || !this.analysing) {
      this.line = state.moves;
      this.labels = state.labels.map((one) => one.join(" + "));
      if (this.analysing) this.cursor = Math.min(this.cursor, this.line.length);
    }
    const persons = Object.values(state.players).includes("person");
    this.playTools.hidden = !persons;
    this.watchTools.hidden = persons;
    this.pauseButton.textContent = state.waiting ? "Go on" : "Pause";
    if (!persons && document.activeElement !== this.speed) this.speed.value = String(state.pace);
    if (followed || first) {
      this.cursor = state.moves.length;
      this.show(state.view);
    } else this.renderMoves();
    if (this.analysing && first) this.panel.refresh();
  }

  /** More of a match that another program plays. */
  async grow(record) {
    const atEnd = !this.inVariation() && this.cursor === this.line.length;
    const varied = this.inVariation();
    this.base = record.place.moves;
    if (!record.live) this.followed = null;
    if (varied) return;
    this.line = this.base;
    await this.labelLine();
    await this.go(atEnd ? this.line.length : this.cursor);
  }

  async go(step) {
    const wanted = Math.max(0, Math.min(this.line.length, step));
    this.cursor = wanted;
    if (this.live && !this.analysing && wanted === this.live.moves.length && !this.flipped) {
      this.show(this.live.view);
      return;
    }
    const moves = this.line.slice(0, wanted);
    const view = await this.find(moves);
    if (this.cursor === wanted && this.line.length >= wanted) this.show(view);
  }

  async find(moves) {
    const key = JSON.stringify([moves, this.flipped]);
    if (!this.views.has(key))
      this.views.set(key, await link.ask("ShowPosition", { place: { game: this.game, moves }, flipped: this.flipped }));
    return this.views.get(key);
  }

  show(view) {
    this.view = view;
    this.pending = {};
    this.title.textContent = view.label;
    this.board.show(view, this.movers());
    this.renderPeople();
    this.renderResult();
    this.renderMoves();
    this.panel.refresh();
  }

  /** Who may move on the board now, by hand. */
  movers() {
    const { view } = this;
    if (view.terminal) return [];
    if (this.analysing) return Object.keys(view.legal);
    if (!this.live || this.cursor !== this.live.moves.length) return [];
    return view.roles.filter((role) => this.live.players[role] === "person" && view.legal[role]);
  }

  async move(role, choice) {
    if (!this.analysing) {
      try {
        await link.ask("PlayMove", { match: this.match, role, move: choice.move, step: this.cursor });
      } catch (error) {
        toast(error.message);
        this.show(this.view);
      }
      return;
    }
    const deciding = this.view.roles.filter((one) => this.view.legal[one]?.length > 1);
    this.pending[role] = choice.move;
    const open = deciding.filter((one) => !(one in this.pending));
    if (open.length) {
      this.board.show(this.view, open);
      return;
    }
    const joint = deciding.length
      ? deciding.map((one) => this.pending[one])
      : this.view.roles.map((one) => this.view.legal[one]?.[0].move ?? choice.move);
    this.extend([[joint, choice.label]]);
  }

  /** Play moves from the position that is shown, as a variation where they differ. */
  async extend(moves) {
    for (const [joint, label] of moves) {
      const view = await this.find([...this.line.slice(0, this.cursor), joint]);
      const next = this.line[this.cursor];
      if (!next || JSON.stringify(next) !== JSON.stringify(view.last)) {
        if (this.base === null && this.cursor < this.line.length) this.base = this.line;
        if (this.base === null && this.live) this.base = this.line;
        this.line = [...this.line.slice(0, this.cursor), view.last];
        this.labels = [...this.labels.slice(0, this.cursor), label];
      }
      this.cursor += 1;
      this.show(view);
    }
    this.toGame.hidden = !this.inVariation();
  }

  inVariation() {
    return this.base !== null && JSON.stringify(this.base) !== JSON.stringify(this.line);
  }

  async backToGame() {
    const common = this.line.findIndex((joint, i) => JSON.stringify(joint) !== JSON.stringify(this.base[i]));
    this.line = this.live ? this.live.moves : this.base;
    this.base = this.kind === "record" ? this.line : null;
    await this.labelLine();
    this.toGame.hidden = true;
    await this.go(common < 0 ? this.cursor : common);
  }

  async labelLine() {
    if (this.live) this.labels = this.live.labels.map((one) => one.join(" + "));
    else this.labels = this.line.map((joint) => {
      const said = joint.filter((move) => move !== "noop" && move !== "(noop)");
      return (said.length ? said : joint).map((move) => move.replace(/^\(|\)$/g, "")).join(" + ");
    });
  }

  // ── what is shown ──

  renderPeople() {
    const { view } = this;
    const players = this.live?.players || this.players || {};
    replace(
      this.people,
      view.roles.filter((role) => role !== "random" || view.choosing.length === 0).map((role) => {
        const now = this.live && this.cursor === this.live.moves.length ? this.live : null;
        const thinking = now?.thinking.includes(role);
        const turn = view.choosing.includes(role);
        return h("span", { class: `person${turn ? " turn" : ""}`, "data-role": role },
          swatch(view.colours?.[role]),
          h("span", { class: "person-role" }, role),
          players[role] ? h("span", { class: "faint" }, describePlayer(players[role])) : null,
          thinking ? h("span", { class: "dots", role: "status", "aria-label": `${role} is thinking` }, h("i"), h("i"), h("i")) : null,
          turn && now?.left !== null && now?.seconds ? h("span", { class: "clock" }) : null,
          view.terminal ? h("b", { class: "goal" }, view.goals[role] ?? "–") : null);
      }),
    );
    this.tick();
  }

  tick() {
    const box = this.people.querySelector(".clock");
    if (!box || this.live?.left === null || this.live?.left === undefined) return;
    const left = Math.max(0, this.live.left - (performance.now() - this.receivedAt) / 1000);
    box.textContent = left < 60 ? `${left.toFixed(0)} s` : `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    box.classList.toggle("late", left < 5);
  }

  renderResult() {
    const { view, live } = this;
    let text = "";
    const fault = live?.faults[live.faults.length - 1];
    if (view.terminal) text = describeResult(view, live?.players || this.players || {});
    else if (this.followed) text = this.cursor < this.line.length ? `after ${this.cursor} of ${this.line.length} moves` : "going on in another program";
    else if (live && this.cursor < live.moves.length && !this.analysing) text = `after ${this.cursor} of ${live.moves.length} moves`;
    else if (fault && fault.step >= view.step - 1) text = `${fault.role}: ${fault.message}; a random move was made`;
    this.result.textContent = text;
    this.result.classList.toggle("over", view.terminal);
  }

  renderMoves() {
    const points = this.panel.points;
    const items = this.labels.map((label, i) => {
      const point = this.inVariation() ? null : points.get(i);
      const sign = { inaccuracy: "?!", mistake: "?", blunder: "??" }[point?.mistake] || "";
      return h("li", {},
        button([h("span", { class: "number" }, `${i + 1}`), label, sign ? h("b", { class: `sign ${point.mistake}`, title: `${point.mistake}: lost ${point.loss.toFixed(0)}; best was ${point.best}` }, sign) : null],
          () => this.go(i + 1),
          { class: "ply-button", "aria-current": this.cursor === i + 1 ? "step" : null }));
    });
    replace(this.moves, items.length ? items : h("li", { class: "faint" }, "no move yet"));
    const current = this.moves.querySelector('[aria-current="step"]');
    if (current) this.moves.scrollTop = current.offsetTop - this.moves.clientHeight / 2;
    this.playOn.hidden = this.view?.terminal ?? true;
    this.backs.disabled = this.cursor === 0;
  }

  // ── what people do ──

  setAnalysing(on) {
    if (this.kind !== "match" && !this.followed) on = true;
    this.analysing = on;
    if (!on && this.live) {
      this.base = null;
      this.line = this.live.moves;
      this.labels = this.live.labels.map((one) => one.join(" + "));
      this.cursor = this.line.length;
      this.toGame.hidden = true;
    }
    this.toggle.setAttribute("aria-pressed", String(on));
    this.go(this.cursor);
    if (on && this.view?.terminal && !this.panel.points.size) this.panel.review();
  }

  async takeBack() {
    if (!this.live) return;
    if (this.analysing) this.setAnalysing(false);
    this.cursor = this.live.moves.length;
    await link.ask("TakeBack", { match: this.match });
  }

  async hint() {
    if (this.view?.terminal) return;
    const moves = this.line.slice(0, this.cursor);
    const hint = await link.ask("AskHint", { place: { game: this.game, moves } });
    if (moves.length === this.cursor) {
      this.board.showHint(hint);
      toast(`hint: ${hint.label}`, "note");
    }
  }

  async switchSides() {
    if (this.live) await link.ask("SwitchSides", { match: this.match });
  }

  async setPace(waiting = this.live.waiting) {
    await link.ask("SetPace", { match: this.match, pace: Number(this.speed.value), waiting });
  }

  async again() {
    if (!this.live) return;
    const { players, seconds, pace, game } = this.live;
    const { match } = await link.ask("OpenMatch", { game, players, seconds, pace });
    location.hash = `#/match/${match}`;
  }

  async playFromHere() {
    const roles = this.view.roles.filter((role) => role !== "random");
    const mover = this.view.choosing[0] || roles[0];
    const players = this.live?.players || Object.fromEntries(roles.map((role) => [role, role === mover ? "person" : "level-5"]));
    const { match } = await link.ask("OpenMatch", { game: this.game, players, moves: this.line.slice(0, this.cursor), pace: 0.25 });
    location.hash = `#/match/${match}`;
  }

  flip() {
    this.flipped = !this.flipped;
    this.go(this.cursor);
  }

  async share() {
    const moves = JSON.stringify(this.line.slice(0, this.cursor));
    const address = `${location.origin}/#/position/${encodeURIComponent(this.game)}/${encodeURIComponent(moves)}`;
    try {
      await navigator.clipboard.writeText(address);
      toast("the link to this position is copied", "note");
    } catch {
      location.href = address;
      toast("the address of this page is the link", "note");
    }
  }

  async exportRecord() {
    const players = this.live?.players || this.players || {};
    const names = this.view.roles.map((role) => players[role] || (role === "random" ? "random" : "person"));
    const record = await link.ask("ExportRecord", { place: { game: this.game, moves: this.line }, players: names });
    download(record.name, record.text);
  }

  key(event) {
    const acts = {
      a: () => this.setAnalysing(!this.analysing),
      ArrowLeft: () => this.go(this.cursor - 1),
      ArrowRight: () => this.go(this.cursor + 1),
      Home: () => this.go(0),
      End: () => this.go(this.line.length),
      u: () => this.takeBack(),
      h: () => this.hint(),
      f: () => this.flip(),
      s: () => this.switchSides(),
      n: () => this.again(),
      "?": () => this.dialog.showModal(),
    };
    if (!(event.key in acts)) return false;
    acts[event.key]();
    return true;
  }
}

export function describePlayer(spec) {
  if (spec === "person") return "you";
  return spec.replace(/^level-/, "level ").replace(/^run:(\w+)(?::(\d+))?/, (_, run, matches) => `run ${run.slice(0, 4)}${matches ? ` after ${matches}` : ""}`);
}

function describeResult(view, players) {
  const goals = Object.entries(view.goals);
  const values = goals.map(([, goal]) => goal ?? 0);
  const said = goals.map(([role, goal]) => `${role} ${goal ?? "–"}`).join(", ");
  if (goals.length < 2) return `The match is over: ${said}.`;
  const most = Math.max(...values);
  const winners = goals.filter(([, goal]) => goal === most);
  if (winners.length > 1) return `A draw: ${said}.`;
  const [winner] = winners[0];
  const you = players[winner] === "person" && Object.values(players).filter((one) => one === "person").length === 1;
  return `${you ? `You win as ${winner}` : `${winner} wins`}: ${said}.`;
}
