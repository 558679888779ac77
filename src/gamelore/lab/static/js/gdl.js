// GDL in the editor: colours, completion, and a theme from the page's own colours.

import { StreamLanguage, HighlightStyle, syntaxHighlighting, EditorView, tags } from "../vendor/codemirror.js";

export const KEYWORDS = ["role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input", "distinct", "not", "or", "and"];
const KEYWORD = new Set([...KEYWORDS, "<="]);

const language = StreamLanguage.define({
  name: "gdl",
  startState: () => ({ head: false }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^;.*/)) return "comment";
    if (stream.match(/^[()]/)) {
      state.head = stream.current() === "(";
      return "bracket";
    }
    const head = state.head;
    state.head = false;
    if (stream.match(/^\?[^\s();]*/)) return "variableName";
    if (stream.match(/^-?\d+(?=[\s();]|$)/)) return "number";
    stream.match(/^[^\s();]+/) || stream.next();
    const word = stream.current().toLowerCase();
    if (KEYWORD.has(word)) return "keyword";
    return head ? "function" : "atom";
  },
  languageData: { commentTokens: { line: ";" }, closeBrackets: { brackets: ["("] } },
  tokenTable: { function: tags.function(tags.variableName) },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)", fontWeight: "600" },
  { tag: tags.variableName, color: "var(--variable)" },
  { tag: tags.function(tags.variableName), color: "var(--accent)" },
  { tag: tags.comment, color: "var(--comment)", fontStyle: "italic" },
  { tag: tags.number, color: "var(--gold)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--raised)", fontSize: "14px" },
  ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--faint)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 45%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft) !important", outline: "1px solid var(--accent)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-diagnostic": { fontFamily: "ui-sans-serif, system-ui, sans-serif" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--gold)", textUnderlineOffset: "3px" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)" },
});

export const gdl = [language, syntaxHighlighting(colours), theme];
