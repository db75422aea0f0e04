// PartiQL: an editor with completion, results as a table, pages that stay, and a history kept in this browser.
import { useState } from 'preact/hooks';
import { call } from '../dynamo';
import { descriptions, tableNames, spacesOf } from '../tables';
import type { Item } from '../values';
import { Button, Empty, plural } from '../ui/parts';
import { Grid } from '../ui/grid';
import { TextEditor } from '../ui/text_editor';

const historyName = 'trestle-partiql';
const historyMax = 50;
const readHistory = (): string[] => { try { return JSON.parse(localStorage.getItem(historyName) ?? '[]'); } catch { return []; } };
let draft = '';

const keywords = ['SELECT', 'FROM', 'WHERE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN', 'INSERT INTO', 'VALUE', 'UPDATE', 'SET', 'REMOVE', 'DELETE FROM', 'RETURNING', 'ORDER BY', 'DESC', 'ASC',
  'begins_with', 'contains', 'attribute_type', 'size', 'IS MISSING', 'IS NOT MISSING', 'EXISTS'];

export function PartiqlPage() {
  const [text, setText] = useState(draft || (tableNames.value?.[0] ? `SELECT * FROM "${tableNames.value[0]}"` : ''));
  const [found, setFound] = useState<{ items: Item[]; next?: string; statement: string; units: number; pages: number } | null>(null);
  const [fault, setFault] = useState<{ kind: string; message: string } | null>(null);
  const [past, setPast] = useState(readHistory);
  const [busy, setBusy] = useState(false);
  draft = text;
  const run = async (next?: string) => {
    const statement = next ? found!.statement : text.trim().replace(/;\s*$/, '');
    if (!statement) return;
    setFault(null);
    setBusy(true);
    try {
      const reply = await call('ExecuteStatement', { Statement: statement, ReturnConsumedCapacity: 'TOTAL', Limit: 100, ...(next ? { NextToken: next } : {}) });
      const old = next ? found! : { items: [], units: 0, pages: 0 };
      setFound({ items: [...old.items, ...(reply.Items ?? [])], next: reply.NextToken, statement, units: old.units + (reply.ConsumedCapacity?.CapacityUnits ?? 0), pages: old.pages + 1 });
    } catch (error: any) {
      setFault({ kind: error.kind, message: error.message });
      if (!next) setFound(null);
    }
    setBusy(false);
    if (next) return;
    const now = [statement, ...readHistory().filter((entry) => entry !== statement)].slice(0, historyMax);
    localStorage.setItem(historyName, JSON.stringify(now));
    setPast(now);
  };
  const words = () => {
    const names = (tableNames.value ?? []).flatMap((name) => [`"${name}"`, ...(descriptions.value[name] ? spacesOf(descriptions.value[name]).flatMap((space) => [...(space.index ? [`"${name}"."${space.index}"`] : []), ...[...space.hash, ...space.range].map((part) => part.name)]) : [])]);
    return [...new Set([...keywords, ...names])];
  };
  return (
    <div class="page partiql">
      <h1>PartiQL</h1>
      <div class="split">
        <div class="left">
          <TextEditor class="statement" language="sql" label="PartiQL statement" text={text} onChange={setText} onRun={() => run()} words={words} hint="SELECT * FROM &quot;table&quot; WHERE …" />
          <div class="bar">
            <Button kind="main" title="Run" onClick={() => run()} disabled={busy || !text.trim()}>Run <kbd aria-hidden="true">Ctrl ↵</kbd></Button>
            <span class="quiet" role="status">{found && `${plural(found.items.length, 'item')} · ${plural(found.pages, 'page')} · ${plural(found.units, 'unit')}`}</span>
          </div>
          {fault && <div class="fault block" role="alert"><b>{fault.kind}</b> {fault.message}</div>}
          {found && (found.items.length ? <Grid items={found.items} keys={[]} label="Result" /> : <Empty>{/^select/i.test(found.statement) ? 'No item fits.' : 'Done.'}</Empty>)}
          {found?.next && <div class="bar center"><Button onClick={() => run(found.next)} disabled={busy}>Next page</Button></div>}
        </div>
        <aside class="history" aria-label="Earlier statements">
          <h2>History</h2>
          {past.length ? <ol>{past.map((entry) => <li key={entry}><button type="button" onClick={() => setText(entry)} title={entry}>{entry}</button></li>)}</ol> : <p class="quiet">Statements that you run are listed here, in this browser.</p>}
          {past.length > 0 && <Button small kind="quiet" onClick={() => { localStorage.removeItem(historyName); setPast([]); }}>Forget them</Button>}
        </aside>
      </div>
    </div>
  );
}
