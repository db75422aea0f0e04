// One item: a typed form, plain JSON or DynamoDB JSON. Saving is conditional, and a conflict is shown side by side.
import { useState } from 'preact/hooks';
import { ApiError, call } from '../dynamo';
import { attempt, tell } from '../state';
import { plainItem, plainText, readPlainItem, typeNames, typedValue, typeOf, itemBytes, type Item, type Value } from '../values';
import { Button, Confirm, Dialog, Input, Select, Tabs, bytesText } from '../ui/parts';
import { TextEditor } from '../ui/text_editor';
import { ItemDiff } from '../ui/diff';
import { putOf, updateOf } from './save';

interface Props { table: any; item: Item | null; copyOf?: boolean; onClose: () => void; onSaved: (item: Item, before: Item | null) => void; onDeleted: (item: Item) => void }
type Mode = 'form' | 'json' | 'dynamodb';

// An attribute as the form holds it: numbers and texts as typed, collections as rows or as JSON.
interface Row { id: number; name: string; type: string; text: string; rows: Row[] }
let lastRow = 0;
function rowOf(name: string, value: Value): Row {
  const type = typeOf(value);
  const row: Row = { id: ++lastRow, name, type, text: '', rows: [] };
  if (type === 'M') row.rows = Object.entries(value.M as Item).map(([inner, entry]) => rowOf(inner, entry));
  else if (type === 'L') row.rows = (value.L as Value[]).map((entry) => rowOf('', entry));
  else if (type === 'SS' || type === 'NS' || type === 'BS') row.text = value[type].join('\n');
  else row.text = type === 'NULL' ? '' : plainText(value).replace(/^"[^]*"$/, () => value[type]);
  return row;
}
function valueOf(row: Row): Value {
  if (row.type === 'M') return { M: itemOf(row.rows) };
  if (row.type === 'L') return { L: row.rows.map(valueOf) };
  return typedValue(row.type, row.text);
}
function itemOf(rows: Row[]): Item {
  const item: Item = {};
  for (const row of rows) {
    if (!row.name && !row.text && !row.rows.length) continue;
    if (!row.name) throw new Error('Every attribute needs a name.');
    if (row.name in item) throw new Error(`There are two attributes called ${row.name}.`);
    item[row.name] = valueOf(row);
  }
  return item;
}

function Rows(props: { rows: Row[]; onRows: (rows: Row[]) => void; named: boolean; fixed?: string[]; depth: number }) {
  const { rows, onRows, named } = props;
  const change = (row: Row, part: Partial<Row>) => onRows(rows.map((other) => (other === row ? { ...row, ...part } : other)));
  return (
    <div class={'rows' + (props.depth ? ' inner' : '')}>
      {rows.map((row, number) => {
        const key = props.fixed?.includes(row.name) ?? false;
        const called = row.name || (named ? 'new attribute' : 'element ' + (number + 1));
        return (
          <div class="row" key={row.id}>
            <div class="line">
              {named ? <Input label={'Name of ' + called} class="attribute" mono value={row.name} disabled={key} onText={(name) => change(row, { name })} placeholder="name" />
                : <span class="number">{number}</span>}
              <Select label={'Type of ' + called} value={row.type} disabled={key} options={Object.entries(typeNames)} onPick={(type) => change(row, { type, text: type === 'BOOL' ? 'true' : row.text })} />
              {row.type === 'BOOL' ? <Select label={'Value of ' + called} value={row.text} options={['true', 'false']} onPick={(text) => change(row, { text })} />
                : row.type === 'NULL' || row.type === 'M' || row.type === 'L' ? <span class="grow quiet">{row.type === 'NULL' ? 'null' : row.rows.length + ' inside'}</span>
                : /^.S$/.test(row.type) || row.text.length > 60 || row.text.includes('\n')
                  ? <textarea aria-label={'Value of ' + called} class="mono" rows={Math.min(8, row.text.split('\n').length + 1)} value={row.text} disabled={key} placeholder={/^.S$/.test(row.type) ? 'one per line' : ''} spellcheck={false}
                      onInput={(event) => change(row, { text: event.currentTarget.value })} />
                  : <Input label={'Value of ' + called} mono value={row.text} disabled={key && !!row.text && props.fixed !== undefined} onText={(text) => change(row, { text })} inputMode={row.type === 'N' ? 'decimal' : undefined} />}
              {!key && <Button kind="quiet" small title={'Remove ' + called} onClick={() => onRows(rows.filter((other) => other !== row))}>✕</Button>}
            </div>
            {(row.type === 'M' || row.type === 'L') && <Rows rows={row.rows} named={row.type === 'M'} depth={props.depth + 1} onRows={(inner) => change(row, { rows: inner })} />}
          </div>
        );
      })}
      <Button small kind="quiet" onClick={() => onRows([...rows, { id: ++lastRow, name: '', type: 'S', text: '', rows: [] }])}>+ {named ? 'Attribute' : 'Element'}</Button>
    </div>
  );
}

export function ItemEditor({ table, item, copyOf, onClose, onSaved, onDeleted }: Props) {
  const keyNames: string[] = table.KeySchema.map((part: any) => part.AttributeName);
  const isNew = item === null || copyOf === true;
  const blank = (): Item => Object.fromEntries(keyNames.map((name) => [name, { [table.AttributeDefinitions.find((definition: any) => definition.AttributeName === name).AttributeType]: '' }]));
  const start = item ?? blank();
  const [mode, setMode] = useState<Mode>('form');
  const [before, setBefore] = useState<Item>(start);
  const [rows, setRows] = useState<Row[]>(() => Object.entries(ordered(start, keyNames)).map(([name, value]) => rowOf(name, value)));
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const [theirs, setTheirs] = useState<Item | null | undefined>(undefined); // undefined: no conflict; null: it was deleted
  const [asking, setAsking] = useState(false);

  const current = (): Item => (mode === 'form' ? itemOf(rows) : mode === 'json' ? readPlainItem(text, before) : JSON.parse(text));
  const pick = (next: Mode) => {
    try {
      const now = current();
      setFault('');
      if (next === 'form') setRows(Object.entries(now).map(([name, value]) => rowOf(name, value)));
      else setText(next === 'json' ? plainItem(now) : JSON.stringify(now, null, 2));
      setMode(next);
    } catch (error: any) { setFault(error.message); }
  };
  const save = async (overwrite = false) => {
    let now: Item;
    try {
      now = current();
      setFault('');
      if (isNew) {
        await call('PutItem', putOf(table.TableName, keyNames, now, overwrite));
      } else if (overwrite) {
        await call('PutItem', putOf(table.TableName, keyNames, now, true));
      } else {
        const update = updateOf(table.TableName, keyNames, before, now);
        if (update === null) return onClose();
        await call('UpdateItem', update);
      }
      tell(isNew ? 'Item created' : 'Item saved');
      onSaved(now, isNew ? null : before);
    } catch (error: any) {
      if (error instanceof ApiError && error.kind === 'ConditionalCheckFailedException') {
        if (isNew) setFault('An item with this key exists already. Open it to change it.');
        else setTheirs(error.body?.Item ?? null);
      } else setFault(error.message);
    }
  };
  const remove = () => attempt(async () => {
    await call('DeleteItem', { TableName: table.TableName, Key: Object.fromEntries(keyNames.map((name) => [name, before[name]])), ReturnConsumedCapacity: 'TOTAL' });
    tell('Item deleted');
    onDeleted(before);
  });

  let size = '';
  try { size = bytesText(itemBytes(current())); } catch { /* shown when saved */ }
  return (
    <Dialog side title={isNew ? (copyOf ? 'Duplicate item' : 'New item') : 'Item'} onClose={onClose}>
      <div class="bar pad"><Tabs small label="Form of the item" current={mode} onPick={(id) => pick(id as Mode)} tabs={[['form', 'Form'], ['json', 'JSON'], ['dynamodb', 'DynamoDB JSON']]} /><span class="quiet grow right">{size}</span></div>
      <div class="body" onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(); }}>
        {theirs !== undefined && (
          <div class="conflict" role="alert">
            <h3>{theirs === null ? 'Somebody deleted this item meanwhile' : 'Somebody changed this item meanwhile'}</h3>
            <p>Nothing was written. {theirs && 'On the left what is stored now, on the right yours.'}</p>
            {theirs && <ItemDiff old={theirs} now={(() => { try { return current(); } catch { return {}; } })()} />}
            <div class="bar">
              {theirs && <Button onClick={() => { setBefore(theirs); setRows(Object.entries(ordered(theirs, keyNames)).map(([name, value]) => rowOf(name, value))); setText(mode === 'dynamodb' ? JSON.stringify(theirs, null, 2) : plainItem(theirs)); setTheirs(undefined); }}>Take theirs</Button>}
              <Button kind="danger" onClick={() => save(true)}>Overwrite with mine</Button>
            </div>
          </div>
        )}
        {mode === 'form' ? <Rows rows={rows} onRows={setRows} named depth={0} fixed={isNew ? undefined : keyNames} />
          : <TextEditor class="tall" language="json" label={mode === 'json' ? 'Item as JSON' : 'Item as DynamoDB JSON'} text={text} onChange={setText} onRun={() => save()} onSave={() => save()} focused />}
        {fault && <p class="fault" role="alert">{fault}</p>}
      </div>
      <footer>
        {!isNew && <Button kind="danger" onClick={() => setAsking(true)}>Delete</Button>}
        <span class="grow" />
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" onClick={() => save()} title={isNew ? 'Create' : 'Save'}>{isNew ? 'Create' : 'Save'} <kbd aria-hidden="true">Ctrl ↵</kbd></Button>
      </footer>
      {asking && <Confirm title="Delete this item?" action="Delete" onConfirm={remove} onClose={() => setAsking(false)}><p class="mono">{keyNames.map((name) => `${name} = ${plainText(before[name])}`).join(', ')}</p></Confirm>}
    </Dialog>
  );
}

function ordered(item: Item, first: string[]): Item {
  return Object.fromEntries([...first.filter((name) => name in item), ...Object.keys(item).filter((name) => !first.includes(name))].map((name) => [name, item[name]]));
}
