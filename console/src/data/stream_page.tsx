// A live tail of a table's stream: each change with the old and the new image side by side.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../dynamo';
import { attempt, tell } from '../state';
import { loadTable } from '../tables';
import { cellText, type Item } from '../values';
import { Button, Empty } from '../ui/parts';
import { ItemDiff } from '../ui/diff';

interface StreamRecord { eventID: string; eventName: string; userIdentity?: any; dynamodb: { Keys: Item; OldImage?: Item; NewImage?: Item; SequenceNumber: string; ApproximateCreationDateTime: number; SizeBytes: number } }
const keptRecords = 500;

// Follows every shard of the stream, new ones too; onRecords gets each batch in its shard's order.
async function tail(arn: string, from: 'LATEST' | 'TRIM_HORIZON', abort: AbortSignal, onRecords: (records: StreamRecord[]) => void): Promise<void> {
  const iterators = new Map<string, string | null>();
  let first = true;
  const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
  while (!abort.aborted) {
    const shards: any[] = [];
    let start: string | undefined;
    do {
      const page = (await call('DescribeStream', { StreamArn: arn, ...(start ? { ExclusiveStartShardId: start } : {}) }, { quiet: true, signal: abort })).StreamDescription;
      shards.push(...page.Shards);
      start = page.LastEvaluatedShardId;
    } while (start);
    for (const shard of shards) {
      if (iterators.has(shard.ShardId)) continue;
      const closed = shard.SequenceNumberRange?.EndingSequenceNumber !== undefined;
      if (first && from === 'LATEST' && closed) { iterators.set(shard.ShardId, null); continue; }
      const type = first ? from : 'TRIM_HORIZON';
      iterators.set(shard.ShardId, (await call('GetShardIterator', { StreamArn: arn, ShardId: shard.ShardId, ShardIteratorType: type }, { quiet: true, signal: abort })).ShardIterator);
    }
    first = false;
    for (let round = 0; round < 20 && !abort.aborted; ++round) {
      for (const [shard, iterator] of iterators) {
        if (iterator === null) continue;
        const page = await call('GetRecords', { ShardIterator: iterator, Limit: 1000 }, { quiet: true, signal: abort });
        iterators.set(shard, page.NextShardIterator ?? null);
        if (page.Records.length) onRecords(page.Records);
      }
      await pause(400);
      if ([...iterators.values()].every((entry) => entry === null)) break;
    }
  }
}

export function StreamPage({ table }: { table: any }) {
  const arn = table.LatestStreamArn, on = table.StreamSpecification?.StreamEnabled;
  const [records, setRecords] = useState<StreamRecord[]>([]);
  const [running, setRunning] = useState<'LATEST' | 'TRIM_HORIZON' | ''>('LATEST');
  const [ready, setReady] = useState(false);
  const [opened, setOpened] = useState<Set<string>>(new Set());
  const abort = useRef<AbortController | null>(null);
  useEffect(() => {
    if (!on || !running) return;
    const mine = (abort.current = new AbortController());
    setReady(false);
    const soon = setTimeout(() => setReady(true), 300);
    tail(arn, running, mine.signal, (more) => setRecords((old) => [...more.slice().reverse(), ...old].slice(0, keptRecords)))
      .catch((error) => { if (!mine.signal.aborted) { tell(error.message, 'bad'); setRunning(''); } });
    return () => { clearTimeout(soon); mine.abort(); };
  }, [arn, on, running]);
  if (!on) {
    return <Empty><p>This table has no stream.</p><Button kind="main" onClick={() => attempt(async () => { await call('UpdateTable', { TableName: table.TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }); await loadTable(table.TableName); })}>Turn on a stream with old and new images</Button></Empty>;
  }
  return (
    <div class="stream">
      <div class="bar">
        {running ? <Button onClick={() => setRunning('')}>Pause</Button> : <Button kind="main" onClick={() => setRunning('LATEST')}>Follow</Button>}
        <Button onClick={() => { setRecords([]); setRunning(''); setTimeout(() => setRunning('TRIM_HORIZON')); }}>From the beginning</Button>
        <Button kind="quiet" onClick={() => setRecords([])}>Clear</Button>
        <span class="quiet" role="status">{running && (ready ? <><span class="live" aria-hidden="true" /> following</> : 'connecting')} · {records.length} {records.length === 1 ? 'change' : 'changes'}</span>
      </div>
      {records.length === 0 && <Empty>Changes appear here as they happen.</Empty>}
      <ol class="changes">
        {records.map((record, i) => {
          const open = opened.has(record.eventID) || i < 3;
          return (
            <li key={record.eventID} class={record.eventName}>
              <button type="button" class="head" aria-expanded={open} onClick={() => { const next = new Set(opened); if (!next.delete(record.eventID)) next.add(record.eventID); setOpened(next); }}>
                <span class={'event ' + record.eventName}>{record.eventName.toLowerCase()}</span>
                <code>{Object.entries(record.dynamodb.Keys).map(([name, value]) => `${name}=${cellText(value)}`).join('  ')}</code>
                <span class="grow" />{record.userIdentity && <span class="chip">expired</span>}
                <time class="quiet">{new Date(record.dynamodb.ApproximateCreationDateTime * 1000).toLocaleTimeString()}</time>
              </button>
              {open && (record.dynamodb.OldImage || record.dynamodb.NewImage) && <ItemDiff old={record.dynamodb.OldImage} now={record.dynamodb.NewImage} />}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
