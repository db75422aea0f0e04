// The text editor (CodeMirror), in a file of its own that is loaded when an editor is first shown. It lives in a shadow
// root, where CodeMirror adopts its style sheets instead of writing <style> elements, which the page's policy forbids.
import { EditorState, Compartment } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, placeholder } from '@codemirror/view';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, foldGutter, foldKeymap, syntaxHighlighting, HighlightStyle, indentUnit } from '@codemirror/language';
import { autocompletion, closeBrackets, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { setDiagnostics, lintGutter, type Diagnostic } from '@codemirror/lint';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { sql, StandardSQL } from '@codemirror/lang-sql';
import { tags } from '@lezer/highlight';

export interface Finding { line: number; column: number; severity: 'error' | 'warning' | 'note'; message: string; code?: string }
export interface EditorOptions {
  parent: HTMLElement; text: string; language: 'json' | 'yaml' | 'sql'; label: string; dark: boolean; readOnly?: boolean; hint?: string;
  onChange?: (text: string) => void; onRun?: () => void; onSave?: () => void;
  words?: (before: string, line: number, text: string) => string[];
}
export interface Editor {
  text(): string; setText(text: string): void; setDark(dark: boolean): void; setFindings(findings: Finding[]): void; goTo(line: number): void; focus(): void; destroy(): void;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.attributeName], color: 'var(--code-name)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number], color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null, tags.atom, tags.keyword], color: 'var(--code-word)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--soft)' },
]);
const look = (dark: boolean) => EditorView.theme({
  '&': { backgroundColor: 'var(--field)', color: 'var(--ink)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--ink) 4%, transparent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--rule)', borderRadius: '8px', overflow: 'hidden', boxShadow: 'var(--shadow)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-diagnostic': { padding: '8px 12px', maxWidth: '560px', fontFamily: 'var(--sans)', fontSize: '13px' },
  '.cm-placeholder': { color: 'var(--soft)' },
}, { dark });

export function createEditor(options: EditorOptions): Editor {
  const root = options.parent.shadowRoot ?? options.parent.attachShadow({ mode: 'open' });
  const frame = document.createElement('div');
  frame.style.height = '100%';
  root.replaceChildren(frame);
  const theme = new Compartment();
  const complete = (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w-]*/);
    if (!options.words || !word || (word.from === word.to && !context.explicit)) return null;
    const line = context.state.doc.lineAt(context.pos);
    const found = options.words(line.text.slice(0, word.from - line.from), line.number, context.state.doc.toString());
    return { from: word.from, options: found.map((label) => ({ label })), validFor: /^[\w-]*$/ };
  };
  const language = options.language === 'json' ? json() : options.language === 'yaml' ? yaml() : sql({ dialect: StandardSQL, upperCaseKeywords: true });
  const run = (act?: () => void) => () => { act?.(); return act !== undefined; };
  const view = new EditorView({
    parent: frame,
    root: root as ShadowRoot,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run: run(options.onRun) }, { key: 'Mod-s', run: run(options.onSave), preventDefault: true }]),
        lineNumbers(), foldGutter(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
        indentUnit.of('  '), EditorState.tabSize.of(2), language, syntaxHighlighting(colours),
        options.words ? autocompletion({ override: [complete] }) : [],
        // Escape leaves the editor by the Tab key, so that the keyboard is not caught in it.
        keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        EditorView.lineWrapping, EditorState.readOnly.of(options.readOnly ?? false),
        options.hint ? placeholder(options.hint) : [],
        theme.of(look(options.dark)),
        EditorView.updateListener.of((update) => { if (update.docChanged) options.onChange?.(update.state.doc.toString()); }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText(text) {
      if (text !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    setDark: (dark) => view.dispatch({ effects: theme.reconfigure(look(dark)) }),
    setFindings(findings) {
      const diagnostics: Diagnostic[] = findings.filter((finding) => finding.line > 0 && finding.line <= view.state.doc.lines).map((finding) => {
        const line = view.state.doc.line(finding.line);
        const from = Math.min(line.to, line.from + Math.max(0, finding.column - 1));
        return { from, to: line.to, severity: finding.severity === 'note' ? 'info' : finding.severity, message: (finding.code ? finding.code + ': ' : '') + finding.message };
      });
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goTo(line) {
      const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines))).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
