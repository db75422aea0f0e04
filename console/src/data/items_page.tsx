// The items of a table: builder, pages that stay, editor, selection, files.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../dynamo';
import { attempt, tell } from '../state';
import { keyOf, keyText, spacesOf } from '../tables';
import { typeNames, type Item } from '../values';
import { Button, Confirm, Empty, Input, Menu, Select, Tabs, countText, download, plural } from '../ui/parts';
import { Grid } from '../ui/grid';
import { emptyForm, filterOperators, rangeOperators, requestOf, type Form } from './request';
import { deleteAll, formatNames, itemsText, type Format, type Progress } from './files';
import { ItemEditor } from './item_editor';
import { ImportDialog } from './import_dialog';

const forms: Record<string, Form> = {}; // what was asked last, by table, while the console is open
interface Found { items: Item[]; next?: any; pages: number; scanned: number; units: number; ms: number; request: any; operation: string }

export function ItemsPage({ table }: { table: any }) {
  const name = table.TableName;
  const [form, setForm] = useState<Form>(() => forms[name] ?? emptyForm());
  const [found, setFound] = useState<Found | null>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const [selected, setSelected] = useState<Set<number>>(new Set());
  const [editing, setEditing] = useState<{ item: Item | null; copy?: boolean } | null>(null);
  const [importing, setImporting] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [progress, setProgress] = useState<(Progress & { what: string }) | null>(null);
  const abort = useRef<AbortController | null>(null);
  forms[name] = form;
  const spaces = spacesOf(table);
  const space = spaces.find((space) => (space.index ?? '') === form.space) ?? spaces[0];
  const keys = useMemo(() => [...new Set([...spaces[0].hash, ...spaces[0].range, ...space.hash, ...space.range].map((part) => part.name))], [name, form.space]);
  const change = (part: Partial<Form>) => setForm({ ...form, ...part });

  const run = async (next?: any) => {
    setFault('');
    setBusy(true);
    try {
      const { operation, input } = next ? { operation: found!.operation, input: found!.request } : requestOf(form, name, space);
      const began = performance.now();
      const page = await call(operation, next ? { ...input, ExclusiveStartKey: next } : input);
      const ms = performance.now() - began;
      const old = next ? found! : { items: [], pages: 0, scanned: 0, units: 0, ms: 0 };
      if (!next) setSelected(new Set());
      setFound({ items: [...old.items, ...(page.Items ?? [])], next: page.LastEvaluatedKey, pages: old.pages + 1, scanned: old.scanned + (page.ScannedCount ?? 0),
        units: old.units + (page.ConsumedCapacity?.CapacityUnits ?? 0), ms: old.ms + ms, request: input, operation });
    } catch (error: any) { setFault(error.message); }
    setBusy(false);
  };
  useEffect(() => { run(); return () => abort.current?.abort(); }, [name]);

  // Reads the remaining pages, for a list or a file of everything.
  const rest = async (what: string): Promise<Item[]> => {
    abort.current = new AbortController();
    const gathered: Found = { ...found!, items: [...found!.items] };
    try {
      while (gathered.next && !abort.current.signal.aborted) {
        const { Limit: _, ...input } = gathered.request;
        const page = await call(gathered.operation, { ...input, ExclusiveStartKey: gathered.next }, { quiet: gathered.pages > found!.pages, signal: abort.current.signal });
        gathered.items.push(...(page.Items ?? []));
        gathered.next = page.LastEvaluatedKey;
        gathered.pages += 1;
        gathered.scanned += page.ScannedCount ?? 0;
        gathered.units += page.ConsumedCapacity?.CapacityUnits ?? 0;
        setProgress({ what, done: gathered.items.length, of: Math.max(table.ItemCount ?? 0, gathered.items.length) });
      }
    } finally { setProgress(null); setFound({ ...gathered }); }
    return gathered.items;
  };
  const exportItems = (format: Format, which: 'selected' | 'loaded' | 'all') => attempt(async () => {
    const items = which === 'all' && found?.next ? await rest('Reading') : which === 'selected' ? [...selected].sort((a, b) => a - b).map((i) => found!.items[i]) : found!.items;
    const file = itemsText(items, format, keys);
    download(`${name}.${file.ending}`, file.text, file.type);
    tell(`${plural(items.length, 'item')} exported as ${formatNames[format]}`);
  });
  const deleteSelected = () => attempt(async () => {
    const chosen = [...selected].map((i) => found!.items[i]);
    abort.current = new AbortController();
    try {
      await deleteAll(name, chosen.map((item) => keyOf(table, item)), (now) => setProgress({ what: 'Deleting', ...now }), abort.current.signal);
    } finally { setProgress(null); }
    tell(`${plural(chosen.length, 'item')} deleted`);
    const gone = new Set(chosen);
    setFound({ ...found!, items: found!.items.filter((item) => !gone.has(item)) });
    setSelected(new Set());
  });
  // Index entries may be projections, so the editor reads the item itself.
  const open = (item: Item, copy = false) => attempt(async () => {
    if (keys.slice(0, table.KeySchema.length).some((key) => !(key in item))) return tell('The projection left out the key, so the item cannot be opened', 'bad');
    const whole = await call('GetItem', { TableName: name, Key: keyOf(table, item), ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' });
    if (!whole.Item) return tell('The item is not there any more', 'bad');
    setEditing({ item: whole.Item, copy });
  });
  const replaced = (now: Item) => {
    const key = keyText(table, now);
    const at = found?.items.findIndex((item) => keyText(table, item) === key) ?? -1;
    setEditing(null);
    if (!found) return;
    setFound({ ...found, items: at >= 0 ? found.items.map((item, i) => (i === at ? now : item)) : [now, ...found.items] });
    if (at < 0) setSelected(new Set());
  };
  const formats: Format[] = ['csv', 'json', 'dynamodb'];
  return (
    <div class="items-page">
      <form class="builder" aria-label="Scan or query" onSubmit={(event) => { event.preventDefault(); run(); }}
        onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); } }}>
        <div class="bar">
          <Tabs small label="Mode" current={form.mode} onPick={(mode) => change({ mode: mode as Form['mode'] })} tabs={[['scan', 'Scan'], ['query', 'Query']]} />
          <Select label="Table or index" value={form.space} options={spaces.map((space) => [space.index ?? '', space.index ? `${space.index} (${space.kind} index)` : `${space.name} (table)`])}
            onPick={(index) => change({ space: index, hash: [], range: [] })} />
          <span class="grow" />
          <label class="inline">Page <Input label="Page size" class="short" value={form.limit} onText={(limit) => change({ limit })} inputMode="numeric" /></label>
          <button type="submit" class="button main" disabled={busy}>Run <kbd aria-hidden="true">Ctrl ↵</kbd></button>
        </div>
        {form.mode === 'query' && <div class="conditions">
          {space.hash.map((part, i) => (
            <div class="condition" key={part.name}><code>{part.name}</code><span class="op">=</span>
              <Input label={part.name} mono value={form.hash[i] ?? ''} placeholder={typeNames[part.type]} onText={(value) => change({ hash: Object.assign([...form.hash], { [i]: value }) })} /></div>
          ))}
          {space.range.map((part, i) => {
            const range = form.range[i] ?? { operator: '', value: '', upper: '' };
            const set = (change_: Partial<typeof range>) => change({ range: Object.assign([...form.range], { [i]: { ...range, ...change_ } }) });
            return (
              <div class="condition" key={part.name}><code>{part.name}</code>
                <Select label={'Condition on ' + part.name} value={range.operator} options={rangeOperators.filter(([id]) => part.type !== 'N' || id !== 'begins_with')} onPick={(operator) => set({ operator })} />
                {range.operator && <Input label={part.name} mono value={range.value} placeholder={typeNames[part.type]} onText={(value) => set({ value })} />}
                {range.operator === 'between' && <><span class="op">and</span><Input label={part.name + ' at most'} mono value={range.upper} placeholder={typeNames[part.type]} onText={(upper) => set({ upper })} /></>}
              </div>
            );
          })}
        </div>}
        {form.filters.map((filter, i) => {
          const set = (part: Partial<typeof filter>) => change({ filters: form.filters.map((filter, n) => (n === i ? { ...filter, ...part } : filter)) });
          const valued = !['exists', 'missing', 'type'].includes(filter.operator);
          return (
            <div class="condition filter" key={i}>
              <span class="quiet">filter</span>
              <Input label={'Attribute of filter ' + (i + 1)} mono value={filter.name} placeholder="attribute or a.path" onText={(value) => set({ name: value })} />
              <Select label={'Operator of filter ' + (i + 1)} value={filter.operator} options={filterOperators} onPick={(operator) => set({ operator })} />
              {filter.operator !== 'exists' && filter.operator !== 'missing' && <Select label={'Type of filter ' + (i + 1)} value={filter.type} options={Object.entries(typeNames)} onPick={(type) => set({ type })} />}
              {valued && <Input label={'Value of filter ' + (i + 1)} mono value={filter.value} onText={(value) => set({ value })} />}
              {filter.operator === 'between' && <><span class="op">and</span><Input label={'Upper value of filter ' + (i + 1)} mono value={filter.upper} onText={(upper) => set({ upper })} /></>}
              <Button kind="quiet" small title={'Remove filter ' + (i + 1)} onClick={() => change({ filters: form.filters.filter((_, n) => n !== i) })}>✕</Button>
            </div>
          );
        })}
        <div class="bar options">
          <Button small kind="quiet" onClick={() => change({ filters: [...form.filters, { name: '', operator: '=', type: 'S', value: '', upper: '' }] })}>+ Filter</Button>
          <label class="inline grow">Attributes <Input label="Attributes" class="grow" mono value={form.projection} placeholder="all" onText={(projection) => change({ projection })} /></label>
          {form.mode === 'query' && <label class="inline"><input type="checkbox" checked={form.descending} onChange={(event) => change({ descending: event.currentTarget.checked })} /> Descending</label>}
          {space.kind !== 'global' && <label class="inline"><input type="checkbox" checked={form.consistent} onChange={(event) => change({ consistent: event.currentTarget.checked })} /> Strongly consistent</label>}
        </div>
      </form>
      {fault && <p class="fault" role="alert">{fault}</p>}
      <div class="bar results-bar">
        <span class="quiet" role="status">{found ? <>{plural(found.items.length, 'item')}{found.scanned > found.items.length && ` of ${countText(found.scanned)} scanned`} · {plural(found.pages, 'page')} · {plural(found.units, 'unit')}</> : busy ? 'Running…' : ''}</span>
        {progress && <span class="progress"><progress value={progress.done} max={progress.of} aria-label={progress.what} /> {progress.what} {countText(progress.done)} of {countText(progress.of)} <Button small onClick={() => abort.current?.abort()}>Stop</Button></span>}
        <span class="grow" />
        {selected.size > 0 && <>
          <span class="quiet">{selected.size} selected</span>
          <Button onClick={() => open(found!.items[[...selected][0]], true)} disabled={selected.size !== 1}>Duplicate</Button>
          <Button kind="danger" onClick={() => setDeleting(true)}>Delete</Button>
        </>}
        <Menu label="Export" title="Export items" disabled={!found?.items.length}
          items={[...(selected.size ? formats.map((format): [string, () => void] => [`Selected as ${formatNames[format]}`, () => exportItems(format, 'selected')]) : []),
            ...formats.map((format): [string, () => void] => [`Loaded as ${formatNames[format]}`, () => exportItems(format, 'loaded')]),
            ...(found?.next ? formats.map((format): [string, () => void] => [`Everything as ${formatNames[format]}`, () => exportItems(format, 'all')]) : [])]} />
        <Button onClick={() => setImporting(true)}>Import</Button>
        <Button kind="main" onClick={() => setEditing({ item: null })}>New item</Button>
      </div>
      {found && (found.items.length > 0
        ? <Grid items={found.items} keys={keys} label={'Items of ' + name} onOpen={(item) => open(item)} selected={selected} onSelect={setSelected} />
        : <Empty>{found.next ? 'No item on this page fits; there are more pages.' : form.mode === 'query' ? 'No item fits this query.' : 'This table has no items.'}</Empty>)}
      {found?.next && <div class="bar center pages"><Button onClick={() => run(found.next)} disabled={busy}>Next page</Button><Button kind="quiet" disabled={busy || !!progress} onClick={() => attempt(() => rest('Reading'))}>All pages</Button></div>}
      {editing && <ItemEditor table={table} item={editing.item} copyOf={editing.copy} onClose={() => setEditing(null)} onSaved={replaced}
        onDeleted={(item) => { setEditing(null); setFound({ ...found!, items: found!.items.filter((entry) => keyText(table, entry) !== keyText(table, item)) }); }} />}
      {importing && <ImportDialog table={table} onClose={() => setImporting(false)} onDone={() => { setImporting(false); run(); }} />}
      {deleting && <Confirm title={`Delete ${plural(selected.size, 'item')}?`} action="Delete" onConfirm={deleteSelected} onClose={() => setDeleting(false)}><p>This cannot be undone.</p></Confirm>}
    </div>
  );
}
