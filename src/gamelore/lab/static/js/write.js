// Writing rules: an editor, problems as one types, the board, figures, a match to try.

import { h, replace, button, toast, debounce, count, short } from "./dom.js";
import { link } from "./link.js";
import { BoardView } from "./board.js";

export function open(main, _, rest) {
  return new WritePage(main, rest.join("/"));
}

const CHECK_AFTER = 350; // milliseconds without a key

class WritePage {
  constructor(main, path) {
    this.path = "";
    this.version = null;
    this.relations = [];
    this.board = new BoardView(() => {});
    this.files = h("select", { id: "files", onchange: () => this.choose(this.files.value) });
    this.name = h("input", { id: "file-name", placeholder: "my-game.kif", maxlength: 120 });
    this.state = h("span", { class: "faint", role: "status" });
    this.host = h("div", { class: "editor" });
    this.problems = h("ol", { class: "problems", "aria-label": "Problems" });
    this.summary = h("p", { class: "faint", role: "status", id: "summary" }, "");
    this.legal = h("div", { class: "legal", tabindex: "0", role: "group", "aria-label": "Legal moves" });
    this.figures = h("div", { class: "figures" });
    this.playButton = button("Play this draft", () => this.play(), { class: "primary", disabled: true });
    this.measureButton = button("Measure again", () => this.measure(3), { class: "quiet small", disabled: true });
    replace(main, h("div", { class: "write" },
      h("section", { class: "panel", "aria-label": "Rules" },
        h("div", { class: "write-head" },
          h("div", { class: "field" }, h("label", { for: "files" }, "Open"), this.files),
          h("div", { class: "field" }, h("label", { for: "file-name" }, "File name"), this.name),
          button("Save", () => this.save(), { title: "Save (Ctrl-S)" }), this.playButton, this.state),
        this.host, this.summary, this.problems),
      h("div", { class: "stack" },
        h("section", { class: "panel", "aria-label": "The first position" }, (this.boardTitle = h("h2", {}, "The first position")), this.board.element, this.legal),
        h("section", { class: "panel", "aria-label": "Speed and balance" },
          h("div", { class: "panel-head" }, h("h2", {}, "Speed and balance"), this.measureButton), this.figures))));
    this.check = debounce(CHECK_AFTER, () => this.checkNow());
    this.onWelcome = () => this.listFiles();
    link.addEventListener("Welcome", this.onWelcome);
    this.onKey = (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        this.save();
      }
    };
    document.addEventListener("keydown", this.onKey);
    this.begin(path);
  }

  close() {
    this.closed = true;
    this.check.cancel();
    link.removeEventListener("Welcome", this.onWelcome);
    document.removeEventListener("keydown", this.onKey);
    this.forget?.();
    this.forgetFigures?.();
    this.view?.destroy();
  }

  async begin(path) {
    this.cm = await import("../vendor/codemirror.js");
    const { gdl, KEYWORDS } = await import("./gdl.js");
    if (this.closed) return;
    const { cm } = this;
    const complete = (context) => {
      const word = context.matchBefore(/[^\s();]*/);
      if (!word || (word.from === word.to && !context.explicit)) return null;
      const own = [...new Set(this.view.state.doc.toString().match(/\?[\w-]+/g) || [])];
      const options = word.text.startsWith("?")
        ? own.map((label) => ({ label, type: "variable" }))
        : [...KEYWORDS.map((label) => ({ label, type: "keyword" })), ...this.relations.filter((one) => !KEYWORDS.includes(one)).map((label) => ({ label, type: "function" }))];
      return { from: word.from, options, validFor: /^[^\s();]*$/ };
    };
    const root = this.host.attachShadow({ mode: "open" });
    this.view = new cm.EditorView({
      root,
      parent: root,
      state: cm.EditorState.create({
        doc: "",
        extensions: [
          cm.lineNumbers(), cm.highlightActiveLine(), cm.highlightActiveLineGutter(), cm.history(), cm.bracketMatching(), cm.closeBrackets(), cm.lintGutter(),
          cm.autocompletion({ override: [complete] }), gdl, cm.EditorView.lineWrapping,
          cm.EditorView.contentAttributes.of({ "aria-label": "Rules in GDL", spellcheck: "false", tabindex: "0" }),
          cm.keymap.of([...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.historyKeymap, ...cm.searchKeymap, ...cm.lintKeymap, ...cm.defaultKeymap]),
          cm.EditorView.updateListener.of((update) => {
            if (update.docChanged) this.changed();
          }),
        ],
      }),
    });
    const full = new CSSStyleSheet();
    full.replaceSync(".cm-editor{height:100%}");
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, full];
    this.listFiles();
    if (path) await this.choose(`file:${path}`);
    else await this.choose(`template:${link.welcome.templates[0]}`);
  }

  listFiles() {
    const files = link.welcome.games.filter((one) => one.game.startsWith("file:"));
    const { templates } = link.welcome;
    replace(this.files,
      h("option", { value: "" }, "choose …"),
      files.length ? h("optgroup", { label: "Your files" }, files.map((one) => h("option", { value: one.game }, one.label))) : null,
      h("optgroup", { label: "Start anew" }, templates.filter((one) => one.startsWith("new: ")).map((one) => h("option", { value: `template:${one}` }, one.slice(5)))),
      h("optgroup", { label: "Start from a library game" }, templates.filter((one) => !one.startsWith("new: ")).map((one) => h("option", { value: `template:${one}` }, one))));
    this.files.value = "";
  }

  async choose(value) {
    if (!value) return;
    const [kind, ...rest] = value.split(":");
    const name = rest.join(":");
    try {
      const found = kind === "file" ? await link.ask("ReadFile", { path: name }) : await link.ask("ReadTemplate", { name });
      this.path = kind === "file" ? name : "";
      this.version = found.version;
      this.name.value = this.path;
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: found.text } });
      this.state.textContent = this.path ? "opened" : "a new game: give it a name to save it";
      this.check.cancel();
      this.checkNow();
    } catch (error) {
      toast(error.message);
    }
    this.files.value = "";
  }

  changed() {
    this.state.textContent = "not saved";
    this.check();
  }

  get text() {
    return this.view.state.doc.toString();
  }

  get title() {
    return (this.name.value.split("/").at(-1) || "draft").replace(/\.kif$/, "") || "draft";
  }

  // ── checking ──

  checkNow() {
    this.forget?.();
    this.forgetFigures?.();
    this.game = null;
    this.playButton.disabled = true;
    this.measureButton.disabled = true;
    const checked = this.text;
    this.forget = link.stream(
      "CheckDraft",
      { text: checked, name: this.title },
      (event) => {
        if (this.text !== checked) return;
        if (event.type === "DraftProblems") {
          this.relations = event.relations;
          this.found = event.problems;
          this.showProblems();
          const errors = event.problems.filter((one) => one.severity === "error").length;
          if (errors) this.boardTitle.textContent = "The first position, by the rules before the error";
          this.summary.textContent = errors ? `${errors} ${errors === 1 ? "error" : "errors"}` : "The rules can be read; trying them …";
        } else this.showReport(event);
      },
      (error) => {
        this.summary.textContent = error.message;
      },
    );
  }

  showProblems() {
    const { state } = this.view;
    const place = (one) => {
      const line = state.doc.line(Math.max(1, Math.min(state.doc.lines, one.line)));
      const from = Math.min(line.to, line.from + one.column - 1);
      return [from, Math.max(from, Math.min(line.to, from + Math.max(1, one.length)))];
    };
    this.view.dispatch(
      this.cm.setDiagnostics(state, this.found.map((one) => {
        const [from, to] = place(one);
        return { from, to, severity: one.severity, message: one.message };
      })),
    );
    replace(this.problems, this.found.map((one) =>
      h("li", {}, button([h("span", { class: one.severity }), `line ${one.line}: ${one.message}`], () => {
        const [from, to] = place(one);
        this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
        this.view.focus();
      }))));
  }

  showReport(report) {
    this.game = report.game;
    this.found = [...this.found, ...report.problems];
    this.showProblems();
    this.playButton.disabled = false;
    this.measureButton.disabled = false;
    const engine = report.engine === "circuit" ? `${count(report.fluents)} facts, ${count(report.moves)} moves, ${count(report.gates)} gates` : "too large to compile: the interpreter plays it";
    this.summary.textContent = `Ready to play: ${engine}.`;
    this.boardTitle.textContent = "The first position";
    if (report.view) {
      this.board.show(report.view);
      replace(this.legal, Object.entries(report.view.legal).map(([role, moves]) => [
        h("span", { class: "faint" }, `${role}: `), moves.slice(0, 60).map((move) => h("code", {}, move.label)), moves.length > 60 ? h("span", { class: "faint" }, `and ${moves.length - 60} more`) : null]));
    }
    this.measure(2);
  }

  measure(seconds) {
    if (!this.game) return;
    this.forgetFigures?.();
    this.forgetFigures = link.stream("MeasureDraft", { game: this.game, seconds }, (figures) => this.showFigures(figures), (error) => replace(this.figures, h("p", { class: "error-text" }, error.message)));
  }

  showFigures(found) {
    const figure = (label, value, more) => h("div", { class: "figure" }, h("span", { class: "faint" }, label), h("b", {}, value), more);
    replace(this.figures,
      Object.entries(found.goals).filter(([role]) => role !== "random").map(([role, goal]) => {
        const bar = h("i");
        bar.style.setProperty("--share", `${goal}%`);
        return figure(`mean goal of ${role}`, `${goal.toFixed(1)} ± ${found.margins[role].toFixed(found.margins[role] < 0.095 ? 2 : 1)}`, h("div", { class: "meter" }, bar));
      }),
      figure("moves in a match", found.length.toFixed(1), h("span", { class: "faint" }, `${found.shortest} to ${found.longest}`)),
      figure("matches a second", short(found.per_second), h("span", { class: "faint" }, `${count(found.matches)} played`)),
      found.cut_off ? figure("without an end", count(found.cut_off)) : null);
  }

  // ── saving and playing ──

  async save() {
    let path = this.name.value.trim();
    if (!path) {
      this.name.focus();
      return toast("give the game a file name first");
    }
    if (!path.endsWith(".kif")) path += ".kif";
    try {
      const saved = await link.ask("SaveFile", { path, text: this.text, version: path === this.path ? this.version : null });
      this.path = saved.path;
      this.version = saved.version;
      this.name.value = saved.path;
      this.state.textContent = "saved";
    } catch (error) {
      toast(error.message);
    }
  }

  async play() {
    const { game } = await link.ask("KeepDraft", { text: this.text, name: this.title });
    const view = await link.ask("ShowPosition", { place: { game, moves: [] } });
    const roles = view.roles.filter((role) => role !== "random");
    const players = Object.fromEntries(roles.map((role, i) => [role, i ? "level-3" : "person"]));
    const { match } = await link.ask("OpenMatch", { game, players, pace: 0.25 });
    location.hash = `#/match/${match}`;
  }
}
