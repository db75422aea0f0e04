// Ctrl K: every page and command by a few letters of its name.
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, nextTheme } from '../state';
import { tableNames } from '../tables';
import { designs, descriptions } from '../designs/designs';

export const paletteShown = signal(false);

interface Entry { label: string; kind: string; act: () => void }

function entries(): Entry[] {
  const to = (label: string, kind: string, ...parts: string[]): Entry => ({ label, kind, act: () => { location.hash = address(...parts); } });
  return [
    ...(tableNames.value ?? []).map((name) => to(name, 'table', 'tables', name)),
    ...(designs.value ?? []).map((design) => to(design.name, 'design', 'designs', design.name)),
    ...(designs.value ?? []).map((design) => to(`Run ${design.name}`, 'design', 'designs', design.name, 'run')),
    ...(designs.value ?? []).map((design) => to(`Edit ${design.name}`, 'design', 'designs', design.name, 'edit')),
    ...Object.entries(descriptions.value).flatMap(([design, entry]) => entry.operations.map((operation) => to(`${design}.${operation.name}`, operation.write ? 'write' : 'read', 'designs', design, 'run', operation.name))),
    to('PartiQL', 'tool', 'partiql'), to('Backups, exports, imports', 'tool', 'backups'), to('Server', 'tool'), to('Create table', 'command', 'tables', '', 'create'),
    { label: 'Change theme', kind: 'command', act: nextTheme },
  ];
}

export function Palette() {
  const element = useRef<HTMLDialogElement>(null);
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => { element.current?.showModal(); }, []);
  const close = () => { paletteShown.value = false; };
  const letters = wanted.toLowerCase().split('').filter((entry) => entry !== ' ');
  const fits = (label: string) => { let from = 0; return letters.every((letter) => (from = label.indexOf(letter, from) + 1) > 0); };
  const found = entries().filter((entry) => fits(entry.label.toLowerCase())).sort((a, b) => Number(b.label.toLowerCase().includes(wanted.toLowerCase())) - Number(a.label.toLowerCase().includes(wanted.toLowerCase()))).slice(0, 12);
  const pick = (entry?: Entry) => { close(); entry?.act(); };
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') { setAt(Math.min(found.length - 1, at + 1)); event.preventDefault(); }
    if (event.key === 'ArrowUp') { setAt(Math.max(0, at - 1)); event.preventDefault(); }
    if (event.key === 'Enter') { pick(found[at]); event.preventDefault(); }
  };
  return (
    <dialog ref={element} class="palette" aria-label="Go to" onCancel={(event) => { event.preventDefault(); close(); }} onMouseDown={(event) => { if (event.target === element.current) close(); }} onKeyDown={keys}>
      <div class="sheet">
        <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={'palette-' + at} aria-label="Go to" placeholder="Go to a table, design, operation or command" value={wanted}
          onInput={(event) => { setWanted(event.currentTarget.value); setAt(0); }} autocomplete="off" spellcheck={false} />
        <ul id="palette-list" role="listbox" aria-label="Pages and commands">
          {found.map((entry, i) => <li key={entry.kind + entry.label} id={'palette-' + i} role="option" aria-selected={i === at} onClick={() => pick(entry)} onMouseMove={() => setAt(i)}><span>{entry.label}</span><span class="kind">{entry.kind}</span></li>)}
        </ul>
      </div>
    </dialog>
  );
}
