// The server's figures as small charts, from /metrics, read every two seconds while the page is shown.
import { useEffect, useState } from 'preact/hooks';

interface Sample { at: number; requests: number; errors: number; throttled: number; buckets: Map<number, number>; lag: number; items: number; tables: number; bytes: number; read: number; write: number }
const historyMax = 90;
const histories: Record<string, Sample[]> = {}; // by table ('' is the server); they stay while the console is open

const labelOf = (line: string, name: string) => new RegExp('[{,]' + name + '="([^"]*)"').exec(line)?.[1];
// The figures of one table, or of the whole server. `remote`: of the tables at --on, of which only the designs' calls are known.
export function readMetrics(text: string, now: number, table = '', remote = false): Sample {
  const family = (name: string) => (remote ? name.replace('trestle_', 'trestle_design_') : name);
  const sample: Sample = { at: now, requests: 0, errors: 0, throttled: 0, buckets: new Map(), lag: 0, items: 0, tables: 0, bytes: 0, read: 0, write: 0 };
  for (const line of text.split('\n')) {
    if (!line.startsWith('trestle_') || (table && labelOf(line, 'table') !== table)) continue;
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    if (line.startsWith(family('trestle_request_duration_seconds_count'))) sample.requests += value;
    else if (line.startsWith(family('trestle_request_duration_seconds_bucket'))) {
      const edge = labelOf(line, 'le');
      const upper = edge === '+Inf' ? Infinity : Number(edge);
      sample.buckets.set(upper, (sample.buckets.get(upper) ?? 0) + value);
    } else if (line.startsWith('trestle_request_errors_total')) sample.errors += value;
    else if (line.startsWith(table ? 'trestle_throttled_by_total' : 'trestle_throttled_requests_total')) sample.throttled += value;
    else if (line.startsWith(family('trestle_consumed_units_total'))) sample[labelOf(line, 'kind') === 'read' ? 'read' : 'write'] += value;
    else if (line.startsWith('trestle_stream_iterator_age_seconds')) sample.lag = Math.max(sample.lag, value);
    else if (line.startsWith('trestle_table_items')) sample.items += value;
    else if (line.startsWith('trestle_table_bytes')) sample.bytes += value;
    else if (line.startsWith('trestle_tables ')) sample.tables = value;
  }
  return sample;
}
// The latency that this share of the requests between two samples stayed under, in milliseconds.
export function percentile(from: Sample, to: Sample, share: number): number | null {
  const edges = [...to.buckets.keys()].sort((a, b) => a - b);
  const counts = edges.map((edge) => (to.buckets.get(edge) ?? 0) - (from.buckets.get(edge) ?? 0));
  const all = counts.at(-1) ?? 0;
  if (all <= 0) return null;
  const wanted = all * share;
  const at = counts.findIndex((count) => count >= wanted);
  const below = at > 0 ? counts[at - 1] : 0, low = at > 0 ? edges[at - 1] : 0;
  const high = Number.isFinite(edges[at]) ? edges[at] : low;
  return (low + (high - low) * ((wanted - below) / Math.max(1, counts[at] - below))) * 1000;
}

function Chart({ title, series, unit }: { title: string; unit: string; series: { name: string; values: (number | null)[]; tone: string }[] }) {
  const all = series.flatMap((line) => line.values).filter((value): value is number => value !== null);
  const most = Math.max(1e-9, ...all);
  const number = (value: number | null | undefined) => (value === null || value === undefined ? '–' : value === 0 ? '0' : value >= 100 ? Math.round(value).toLocaleString('en-US') : value < 0.995 ? value.toFixed(2) : value.toPrecision(2).replace(/\.0$/, ''));
  const last = (values: (number | null)[]) => values.findLast((value) => value !== null);
  const shown = Math.max(20, ...series.map((line) => line.values.length)); // a young history is drawn wider
  const path = (values: (number | null)[]) => {
    let out = '', pen = false;
    values.forEach((value, i) => {
      if (value === null) { pen = false; return; }
      out += `${pen ? 'L' : 'M'}${((shown - values.length + i) / (shown - 1) * 200).toFixed(1)} ${(46 - (value / most) * 40).toFixed(1)}`;
      pen = true;
    });
    return out;
  };
  return (
    <figure class="chart">
      <figcaption><span>{title}{series.length > 1 && <small> {unit}</small>}</span><span class="now">{series.map((line) => <span class={line.tone} key={line.name}>{series.length > 1 && <small>{line.name} </small>}{number(last(line.values))}{series.length === 1 && <small> {unit}</small>}</span>)}</span></figcaption>
      <svg viewBox="0 0 200 50" preserveAspectRatio="none" role="img" aria-label={`${title}: ${series.map((line) => `${line.name} ${number(last(line.values))} ${unit}`).join(', ')}`}>
        <line x1="0" x2="200" y1="46" y2="46" class="axis" />
        {series.map((line) => <path key={line.name} class={line.tone} d={path(line.values)} />)}
      </svg>
    </figure>
  );
}

export function Charts({ table = '', remote = false }: { table?: string; remote?: boolean }) {
  const history = (histories[(remote ? 'on ' : '') + table] ??= []);
  const [, again] = useState(0);
  useEffect(() => {
    let gone = false, timer = 0;
    const read = async () => {
      try {
        const reply = await fetch('/metrics');
        if (reply.ok && !gone) {
          history.push(readMetrics(await reply.text(), performance.now(), table, remote));
          if (history.length > historyMax + 1) history.shift();
          again((count) => count + 1);
        }
      } catch { /* the server is away; the next round may find it */ }
      if (!gone) timer = window.setTimeout(read, 2000);
    };
    read();
    return () => { gone = true; clearTimeout(timer); };
  }, [table, remote]);
  const pairs = history.slice(1).map((to, i) => ({ from: history[i], to, seconds: (to.at - history[i].at) / 1000 }));
  const rate = (pick: (sample: Sample) => number) => pairs.map(({ from, to, seconds }) => Math.max(0, (pick(to) - pick(from)) / seconds));
  const latency = (share: number) => pairs.map(({ from, to }) => percentile(from, to, share));
  return (
    <section class="charts" aria-label={table ? 'Figures of ' + table : 'Figures of the server'}>
      {!(remote && table) && <><Chart title={remote ? 'Calls of designs' : 'Requests'} unit="/s" series={[{ name: 'requests', tone: 'a', values: rate((sample) => sample.requests) }]} />
      <Chart title="Latency" unit="ms" series={[{ name: 'p50', tone: 'a', values: latency(0.5) }, { name: 'p99', tone: 'b', values: latency(0.99) }]} /></>}
      <Chart title={remote ? 'Units of designs' : 'Consumed units'} unit="/s" series={[{ name: 'read', tone: 'a', values: rate((sample) => sample.read) }, { name: 'write', tone: 'b', values: rate((sample) => sample.write) }]} />
      {!remote && <>{!table && <Chart title="Refused" unit="/s" series={[{ name: 'errors', tone: 'c', values: rate((sample) => sample.errors) }, { name: 'throttled', tone: 'b', values: rate((sample) => sample.throttled) }]} />}
      {table && <Chart title="Throttled" unit="/s" series={[{ name: 'throttled', tone: 'b', values: rate((sample) => sample.throttled) }]} />}
      <Chart title="Stream lag" unit="s" series={[{ name: 'lag', tone: 'a', values: history.slice(1).map((sample) => sample.lag) }]} />
      <Chart title="Items" unit="" series={[{ name: 'items', tone: 'a', values: history.slice(1).map((sample) => sample.items) }]} /></>}
    </section>
  );
}
