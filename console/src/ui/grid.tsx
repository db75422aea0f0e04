// Items as a table. Only the visible rows are rendered, so that scrolling is fast for any number of items.
import { useEffect, useRef, useState } from 'preact/hooks';
import { cellText, typeNames, typeOf, type Item } from '../values';

const rowHeight = 33;
const columnsMax = 40;

// The key's attributes, then the others, the most common first.
export function columnsOf(items: Item[], first: string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items.slice(0, 500)) for (const name of Object.keys(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const rest = [...counts.keys()].filter((name) => !first.includes(name)).sort((a, b) => counts.get(b)! - counts.get(a)!);
  return [...first.filter((name) => counts.has(name)), ...rest].slice(0, columnsMax);
}

interface Props {
  items: Item[]; keys: string[]; label: string;
  onOpen?: (item: Item, number: number) => void;
  selected?: Set<number>; onSelect?: (selected: Set<number>) => void;
  hueOf?: (item: Item) => number | undefined;
}

export function Grid({ items, keys, label, onOpen, selected, onSelect, hueOf }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ from: 0, to: 60 });
  const [active, setActive] = useState(0);
  const withShift = useRef(false);
  const measure = () => {
    const element = holder.current;
    if (!element) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - 10);
    const to = from + Math.ceil(element.clientHeight / rowHeight) + 20;
    setView((old) => (old.from === from && old.to === to ? old : { from, to }));
  };
  useEffect(() => {
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, []);
  const columns = columnsOf(items, keys);
  const shown = items.slice(view.from, view.to);
  const toggle = (number: number, range: boolean) => {
    const next = new Set(selected);
    if (range) for (let i = Math.min(active, number); i <= Math.max(active, number); ++i) next.add(i);
    else if (!next.delete(number)) next.add(number);
    setActive(number);
    onSelect?.(next);
  };
  const move = (to: number) => {
    const next = Math.max(0, Math.min(items.length - 1, to));
    setActive(next);
    const element = holder.current!;
    const top = next * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + 2 * rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = top + 2 * rowHeight - element.clientHeight;
  };
  const keyed = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).tagName === 'INPUT') return;
    const page = Math.floor(holder.current!.clientHeight / rowHeight) - 1;
    const steps: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: items.length - 1 };
    if (event.key in steps) { move(steps[event.key]); event.preventDefault(); }
    if (event.key === 'Enter' && items[active]) { onOpen?.(items[active], active); event.preventDefault(); }
    if (event.key === ' ' && onSelect && items[active]) { toggle(active, event.shiftKey); event.preventDefault(); }
    if (event.key === 'a' && (event.ctrlKey || event.metaKey) && onSelect) { onSelect(new Set(items.keys())); event.preventDefault(); }
  };
  return (
    <div class="grid" ref={holder} onScroll={measure} tabIndex={0} role="region" aria-label={label + ', ' + items.length + ' rows'} onKeyDown={keyed}>
      <table aria-rowcount={items.length + 1}>
        <thead>
          <tr>
            {onSelect && <th class="pick"><input type="checkbox" aria-label="Select all loaded items" checked={items.length > 0 && selected?.size === items.length}
              onChange={() => onSelect(selected?.size === items.length ? new Set() : new Set(items.keys()))} /></th>}
            {columns.map((name) => <th key={name} class={keys.includes(name) ? 'key' : ''} scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {view.from > 0 && <tr class="spacer" style={{ height: view.from * rowHeight + 'px' }} aria-hidden="true"><td colSpan={columns.length + 1} /></tr>}
          {shown.map((item, offset) => {
            const number = view.from + offset;
            const hue = hueOf?.(item);
            return (
              <tr key={number} aria-rowindex={number + 2} aria-selected={selected?.has(number) ?? false} class={(number === active ? 'active' : '') + (hue !== undefined ? ' hued' : '')}
                style={hue !== undefined ? { '--h': String(hue) } as any : undefined}
                onClick={() => setActive(number)} onDblClick={() => onOpen?.(item, number)}>
                {onSelect && <td class="pick"><input type="checkbox" aria-label={'Select row ' + (number + 1)} checked={selected?.has(number) ?? false}
                  onClick={(event) => { withShift.current = event.shiftKey; }} onChange={() => toggle(number, withShift.current)} /></td>}
                {columns.map((name, column) => {
                  const value = item[name];
                  const text = value ? cellText(value).slice(0, 300) : '';
                  return (
                    <td key={name} class={value ? 't-' + typeOf(value) : 'none'} title={value && typeNames[typeOf(value)]}>
                      {column === 0 && onOpen ? <button type="button" class="open" onClick={() => onOpen(item, number)}>{text || '–'}</button> : text}
                    </td>
                  );
                })}
              </tr>
            );
          })}
          {view.to < items.length && <tr class="spacer" style={{ height: (items.length - view.to) * rowHeight + 'px' }} aria-hidden="true"><td colSpan={columns.length + 1} /></tr>}
        </tbody>
      </table>
    </div>
  );
}
