// The requests that a call made of the database, in order, with their units and time; each opens to the request itself.
import { cliCode } from '../code';
import { facts } from '../state';
import { Copy, Json, plural } from '../ui/parts';
import { msText } from '../ui/request_panel';

export interface SentRequest { operation: string; request: any; consumed: any[]; units?: number; time_us: number; count?: number; scanned_count?: number; error?: string }
export interface Trace { requests: SentRequest[]; omitted?: number }

const isRead = (sent: SentRequest) => /^(GetItem|BatchGetItem|Query|Scan)$/.test(sent.operation);
const sum = (all: SentRequest[]) => all.reduce((total, entry) => total + (entry.units ?? 0), 0);

// Where a request goes: the one table or index that it names, or the tables of a batch or transaction.
function placeOf({ request }: SentRequest): string {
  if (request.TableName) return request.TableName + (request.IndexName ? ' / ' + request.IndexName : '');
  if (request.RequestItems) return Object.keys(request.RequestItems).join(', ');
  const tables = (request.TransactItems ?? []).map((action: any) => (Object.values(action)[0] as any).TableName);
  return `${[...new Set(tables)].join(', ')}, ${plural(tables.length, 'action')}`;
}

export function RequestsMade({ trace, planned }: { trace: Trace; planned?: string }) {
  const all = trace.requests;
  const read = sum(all.filter(isRead)), write = sum(all.filter((entry) => !isRead(entry)));
  const endpoint = facts.value.on || location.origin;
  return (
    <section class="made" aria-label="Requests made">
      <header><h3>{plural(all.length + (trace.omitted ?? 0), 'request')} made</h3>
        {read > 0 && <span class="units">{read} read {read === 1 ? 'unit' : 'units'}</span>}{write > 0 && <span class="units">{write} write {write === 1 ? 'unit' : 'units'}</span>}
        {all.length > 0 && <span class="quiet">{msText(all.reduce((total, entry) => total + entry.time_us, 0) / 1000)} in the database</span>}<span class="grow" />{planned && <span class="quiet">planned: {planned}</span>}</header>
      {all.length > 0 && <ol>{all.map((entry, i) => (
        <li key={i}><details>
          <summary><b>{entry.operation}</b> <span class="place">{placeOf(entry)}</span>{entry.error ? <span class="bad">{entry.error.replace(/Exception$/, '')}</span> : entry.count !== undefined && <span class="quiet">{entry.scanned_count !== entry.count ? `${entry.count} of ${plural(entry.scanned_count!, 'item')}` : plural(entry.count, 'item')}</span>}
            <span class="figure units">{entry.units !== undefined && `${entry.units} ${isRead(entry) ? 'read' : 'write'}`}</span><span class="figure quiet">{msText(entry.time_us / 1000)}</span></summary>
          <div class="copyable"><Copy label="AWS CLI" text={cliCode(entry.operation, entry.request, endpoint)} /><Json text={JSON.stringify(entry.request, null, 2)} /></div>
          {entry.consumed.some((each) => each.GlobalSecondaryIndexes || each.LocalSecondaryIndexes) && <p class="quiet">{entry.consumed.flatMap((each) => [[each.TableName, each.Table?.CapacityUnits ?? 0], ...Object.entries<any>({ ...each.GlobalSecondaryIndexes, ...each.LocalSecondaryIndexes }).map(([name, units]) => [name, units.CapacityUnits])]).map(([name, units]) => `${name}: ${units}`).join(' · ')}</p>}
        </details></li>
      ))}</ol>}
      {trace.omitted && <p class="quiet">{plural(trace.omitted, 'more request')} not listed.</p>}
    </section>
  );
}
