// An editor as a component. The editor's own file is loaded when the first one is shown.
import { useEffect, useRef } from 'preact/hooks';
import type { Editor, EditorOptions, Finding } from '../editor/editor';
import { dark } from '../state';

let loading: Promise<typeof import('../editor/editor')> | null = null;
const editorFile = './editor.js';
const load = () => (loading ??= import(editorFile) as Promise<typeof import("../editor/editor")>);

type Props = Omit<EditorOptions, 'parent' | 'dark'> & { class?: string; findings?: Finding[]; goTo?: { line: number } | null; focused?: boolean };

export function TextEditor(props: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const latest = useRef(props);
  const emitted = useRef<string[]>([]); // texts that the editor has reported and not yet received back
  latest.current = props;
  useEffect(() => {
    let gone = false;
    load().then(({ createEditor }) => {
      if (gone || !holder.current) return;
      editor.current = createEditor({
        ...latest.current, parent: holder.current, dark: dark.value,
        onChange: (text) => { emitted.current.push(text); latest.current.onChange?.(text); },
        onRun: props.onRun && (() => latest.current.onRun?.()),
        onSave: props.onSave && (() => latest.current.onSave?.()),
        words: props.words && ((before, line, text) => latest.current.words?.(before, line, text) ?? []),
      });
      if (latest.current.findings) editor.current!.setFindings(latest.current.findings);
      if (latest.current.focused) editor.current!.focus();
    });
    return () => { gone = true; editor.current?.destroy(); editor.current = null; };
  }, [props.language]);
  useEffect(() => {
    // A text of the editor's own that comes back late must not undo what was typed since.
    const own = emitted.current.lastIndexOf(props.text);
    emitted.current = own >= 0 ? emitted.current.slice(own) : [];
    if (own < 0) editor.current?.setText(props.text);
  }, [props.text]);
  useEffect(() => editor.current?.setDark(dark.value), [dark.value]);
  useEffect(() => editor.current?.setFindings(props.findings ?? []), [props.findings]);
  useEffect(() => { if (props.goTo) editor.current?.goTo(props.goTo.line); }, [props.goTo]);
  return <div ref={holder} class={'editor ' + (props.class ?? '')} data-editor={props.label} />;
}
