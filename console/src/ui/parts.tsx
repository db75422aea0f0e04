// Small pieces that every page uses.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { tell } from '../state';

export function Button(props: { children: ComponentChildren; onClick: () => void; kind?: 'main' | 'danger' | 'quiet'; disabled?: boolean; title?: string; pressed?: boolean; small?: boolean }) {
  const icon = typeof props.children === 'string' && props.children.length === 1; // a sign alone says nothing to a screen reader
  return (
    <button type="button" class={`button ${props.kind ?? ''} ${props.small ? 'small' : ''}`} onClick={props.onClick} disabled={props.disabled} title={props.title}
      aria-label={icon ? props.title : undefined} aria-pressed={props.pressed}>
      {props.children}
    </button>
  );
}

export function Tabs(props: { label: string; tabs: [id: string, label: ComponentChildren][]; current: string; onPick: (id: string) => void; small?: boolean }) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const at = props.tabs.findIndex(([id]) => id === props.current);
    const next = (at + step + props.tabs.length) % props.tabs.length;
    props.onPick(props.tabs[next][0]);
    (event.currentTarget as HTMLElement).querySelectorAll('button')[next].focus();
  };
  return (
    <div class={'tabs' + (props.small ? ' small' : '')} role="tablist" aria-label={props.label} onKeyDown={move}>
      {props.tabs.map(([id, label]) => (
        <button type="button" role="tab" key={id} aria-selected={id === props.current} tabIndex={id === props.current ? 0 : -1} onClick={() => props.onPick(id)}>{label}</button>
      ))}
    </div>
  );
}

export function Field(props: { label: string; hint?: ComponentChildren; children: ComponentChildren; wide?: boolean; error?: string }) {
  return (
    <label class={'field' + (props.wide ? ' wide' : '')}>
      <span class="name">{props.label}{props.hint && <span class="hint"> {props.hint}</span>}</span>
      {props.children}
      {props.error && <span class="fault" role="alert">{props.error}</span>}
    </label>
  );
}

export function Select(props: { label: string; value: string; options: (string | [string, string])[]; onPick: (value: string) => void; class?: string; disabled?: boolean }) {
  return (
    <select aria-label={props.label} class={props.class} value={props.value} disabled={props.disabled} onChange={(event) => props.onPick(event.currentTarget.value)}>
      {props.options.map((entry) => {
        const [value, label] = typeof entry === 'string' ? [entry, entry] : entry;
        return <option key={value} value={value} selected={value === props.value}>{label}</option>;
      })}
    </select>
  );
}

export function Input(props: { label: string; value: string; onText: (value: string) => void; placeholder?: string; class?: string; mono?: boolean; onEnter?: () => void; inputMode?: any; id?: string; disabled?: boolean; type?: string; list?: string }) {
  return (
    <input type={(props.type ?? 'text') as any} id={props.id} aria-label={props.label} class={`${props.class ?? ''} ${props.mono ? 'mono' : ''}`} value={props.value} placeholder={props.placeholder} disabled={props.disabled}
      autocomplete="off" spellcheck={false} inputMode={props.inputMode} list={props.list}
      onInput={(event) => props.onText(event.currentTarget.value)}
      onKeyDown={(event) => { if (event.key === 'Enter' && props.onEnter) { event.preventDefault(); props.onEnter(); } }} />
  );
}

// A dialog that keeps the keyboard inside, closes on Escape, and gives the focus back.
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren; wide?: boolean; side?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    element.current?.showModal();
    return () => before?.focus?.();
  }, []);
  return (
    <dialog ref={element} class={`${props.wide ? 'wide' : ''} ${props.side ? 'side' : ''}`} aria-label={props.title}
      onCancel={(event) => { event.preventDefault(); props.onClose(); }}
      onMouseDown={(event) => { if (event.target === element.current) props.onClose(); }}>
      <div class="sheet">
        <header><h2>{props.title}</h2><Button kind="quiet" title="Close" onClick={props.onClose}>✕</Button></header>
        {props.children}
      </div>
    </dialog>
  );
}

export function Confirm(props: { title: string; children: ComponentChildren; action: string; word?: string; onConfirm: () => void; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div class="body">
        {props.children}
        {props.word && <Field label={`Type ${props.word} to confirm`}><Input label="Confirmation" value={typed} onText={setTyped} mono /></Field>}
      </div>
      <footer>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button kind="danger" disabled={props.word !== undefined && typed !== props.word} onClick={() => { props.onClose(); props.onConfirm(); }}>{props.action}</Button>
      </footer>
    </Dialog>
  );
}

// A button with a list of actions below it.
export function Menu(props: { label: ComponentChildren; title: string; items: [label: string, act: () => void][]; disabled?: boolean }) {
  const [open, setOpen] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event) => { if (!holder.current?.contains(event.target as Node)) setOpen(false); };
    document.addEventListener('pointerdown', close);
    holder.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    return () => document.removeEventListener('pointerdown', close);
  }, [open]);
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Escape') { setOpen(false); event.stopPropagation(); }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const all = [...holder.current!.querySelectorAll<HTMLElement>('[role=menuitem]')];
    all[(all.indexOf(document.activeElement as HTMLElement) + step + all.length) % all.length]?.focus();
  };
  return (
    <div class="menu" ref={holder} onKeyDown={keys}>
      <button type="button" class="button" aria-haspopup="menu" aria-expanded={open} title={props.title} disabled={props.disabled} onClick={() => setOpen(!open)}>{props.label} <span class="caret" aria-hidden="true">▾</span></button>
      {open && <div role="menu" aria-label={props.title}>
        {props.items.map(([label, act]) => <button type="button" role="menuitem" key={label} onClick={() => { setOpen(false); act(); }}>{label}</button>)}
      </div>}
    </div>
  );
}

export function Copy(props: { text: string; label?: string }) {
  return <Button small kind="quiet" title={props.label ? `Copy as ${props.label}` : 'Copy'} onClick={() => navigator.clipboard.writeText(props.text).then(() => tell('Copied'), () => tell('The browser did not allow copying', 'bad'))}>{props.label ? `Copy as ${props.label}` : 'Copy'}</Button>;
}

// Text with JSON's parts coloured. Numbers are not read, so none loses digits.
export function Json(props: { text: string; class?: string }) {
  const parts: (string | JSX.Element)[] = [];
  const pattern = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;
  let from = 0, count = 0;
  for (const found of props.text.matchAll(pattern)) {
    if (++count > 4000) break;
    parts.push(props.text.slice(from, found.index));
    const kind = found[1] ? (found[2] ? 'k' : 's') : /[tfn]/.test(found[0][0]) ? 'w' : 'n';
    parts.push(<span class={kind}>{found[1] || found[0]}</span>, found[2] || '');
    from = found.index! + found[0].length;
  }
  parts.push(props.text.slice(from));
  return <pre class={'code ' + (props.class ?? '')} tabIndex={0}>{parts}</pre>;
}

export const Empty = (props: { children: ComponentChildren }) => <div class="empty">{props.children}</div>;

export function bytesText(bytes: number | undefined): string {
  if (bytes === undefined) return '–';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let size = bytes, unit = 0;
  while (size >= 1024 && unit < units.length - 1) { size /= 1024; ++unit; }
  return (unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)) + ' ' + units[unit];
}
export const countText = (count: number | undefined) => (count === undefined ? '–' : count.toLocaleString('en-US'));
export const plural = (count: number, singular: string, many = singular + 's') => `${countText(count)} ${count === 1 ? singular : many}`;
export const timeText = (seconds: number | undefined) => (seconds === undefined ? '–' : new Date(seconds * 1000).toLocaleString());

export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
