// The aggregate view on live data: items grouped by partition, coloured by entity where a design knows the table.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../dynamo';
import { attempt, database, facts, tell } from '../state';
import { spacesOf } from '../tables';
import { cellText, itemBytes, type Item } from '../values';
import { entityFinder, loadDescriptions } from '../designs/designs';
import { Button, Empty, Select, bytesText, plural } from '../ui/parts';

const itemsMax = 5000, shownPartitions = 200, shownItems = 50;
interface Hot { key: string; count: number }

export function CollectionsPage({ table }: { table: any }) {
  const name = table.TableName;
  const spaces = spacesOf(table);
  const [index, setIndex] = useState('');
  const [order, setOrder] = useState('biggest');
  const [items, setItems] = useState<Item[] | null>(null);
  const [complete, setComplete] = useState(true);
  const [fault, setFault] = useState('');
  const [hot, setHot] = useState<Hot[]>([]);
  const [watched, setWatched] = useState('');
  const [open, setOpen] = useState<Set<string>>(new Set());
  const space = spaces.find((space) => (space.index ?? '') === index) ?? spaces[0];
  const finder = entityFinder(name);
  useEffect(() => { if (facts.value.designs) loadDescriptions(); }, []);
  useEffect(() => {
    let gone = false;
    setItems(null);
    setFault('');
    (async () => {
      const all: Item[] = [];
      let next: any;
      do {
        const page = await call('Scan', { TableName: name, ...(index ? { IndexName: index } : {}), ...(next ? { ExclusiveStartKey: next } : {}), ReturnConsumedCapacity: 'TOTAL' }, { quiet: all.length > 0 });
        all.push(...page.Items);
        next = page.LastEvaluatedKey;
      } while (next && all.length < itemsMax && !gone);
      if (!gone) { setItems(all.slice(0, itemsMax)); setComplete(!next && all.length <= itemsMax); }
      setHot([]);
      setWatched('');
      if (facts.value.insights && database.value === 'embedded' && space.kind !== 'local' && !gone) {
        const { ContributorInsightsStatus } = await call('DescribeContributorInsights', { TableName: name, ...(index ? { IndexName: index } : {}) }, { quiet: true });
        if (gone) return;
        setWatched(ContributorInsightsStatus);
        const reply = await fetch('/insights?top=10&table=' + encodeURIComponent(name));
        if (!reply.ok) return;
        const found = ((await reply.json()).ContributorInsights ?? []).find((setting: any) => setting.TableName === name && (setting.IndexName ?? '') === index);
        const keys = [...(found?.Read?.PartitionKeys ?? []), ...(found?.Written?.PartitionKeys ?? [])];
        const counts = new Map<string, number>();
        for (const entry of keys) { const key = Object.values(entry.Key as Item).map(cellText).join(' · '); counts.set(key, (counts.get(key) ?? 0) + entry.Count); }
        if (!gone) setHot([...counts].map(([key, count]) => ({ key, count })).sort((a, b) => b.count - a.count));
      }
    })().catch((error) => { if (!gone) setFault(error.message); });
    return () => { gone = true; };
  }, [name, index]);
  const partitions = useMemo(() => {
    const groups = new Map<string, { key: string; items: Item[]; bytes: number }>();
    for (const item of items ?? []) {
      const key = space.hash.map((part) => cellText(item[part.name])).join(' · ');
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { key, items: [], bytes: 0 }));
      group.items.push(item);
      group.bytes += itemBytes(item);
    }
    const all = [...groups.values()];
    if (order === 'biggest') all.sort((a, b) => b.items.length - a.items.length || b.bytes - a.bytes);
    if (order === 'hottest') { const rank = new Map(hot.map((hottest, i) => [hottest.key, i])); all.sort((a, b) => (rank.get(a.key) ?? 1e9) - (rank.get(b.key) ?? 1e9)); }
    if (order === 'name') all.sort((a, b) => (a.key < b.key ? -1 : 1));
    return all;
  }, [items, order, hot, index]);
  const biggest = new Set([...partitions].sort((a, b) => b.items.length - a.items.length).slice(0, 3).filter((entry) => entry.items.length > 1).map((entry) => entry.key));
  const legend = finder?.legend ?? [];
  return (
    <div class="collections">
      <div class="bar">
        <Select label="Table or index" value={index} options={spaces.map((space) => [space.index ?? '', space.index ? `${space.index} (${space.kind} index)` : `${space.name} (table)`])} onPick={setIndex} />
        <Select label="Order" value={order} options={[['biggest', 'Biggest first'], ['hottest', 'Hottest first'], ['name', 'By key'], ['stored', 'As stored']]} onPick={setOrder} />
        <span class="quiet" role="status">{items ? `${plural(partitions.length, 'partition')}, ${plural(items.length, 'item')}${complete ? '' : ' (the first only)'}` : fault ? '' : 'Reading…'}</span>
        <span class="grow" />
        <span class="legend">{legend.map((entity) => <span key={entity.name} class="e label" style={{ '--h': String(entity.hue) } as any}>{entity.name}</span>)}</span>
      </div>
      {watched === 'DISABLED' && <p class="quiet">The hottest partitions are known where Contributor Insights is on. <Button small onClick={() => attempt(async () => {
        await call('UpdateContributorInsights', { TableName: name, ...(index ? { IndexName: index } : {}), ContributorInsightsAction: 'ENABLE' });
        setWatched('ENABLED');
        tell('Requests are counted by partition from now on');
      })}>Turn on</Button></p>}
      {fault && <p class="fault" role="alert">{fault}</p>}
      {items?.length === 0 && <Empty>There are no items {index ? 'in this index' : 'in this table'}.</Empty>}
      <div class="partitions">
        {partitions.slice(0, shownPartitions).map((group) => {
          const heat = hot.find((hottest) => hottest.key === group.key);
          const all = open.has(group.key);
          const rows = all ? group.items.slice(0, 500) : group.items.slice(0, Math.min(shownItems, 8));
          return (
            <section class="partition" key={group.key} aria-label={'Partition ' + group.key}>
              <header><code>{group.key}</code><span class="grow" />{heat && <span class="chip hot">hot: {heat.count} requests</span>}{biggest.has(group.key) && <span class="chip big">big</span>}<span class="quiet">{plural(group.items.length, 'item')}, {bytesText(group.bytes)}</span></header>
              <div class="scroll"><table><tbody>
                {rows.map((item, i) => {
                  const entity = finder?.find(item);
                  const rest = Object.keys(item).filter((key) => !space.hash.some((part) => part.name === key) && !space.range.some((part) => part.name === key));
                  return (
                    <tr key={i} class={entity ? 'e' : ''} style={entity ? { '--h': String(entity.hue) } as any : undefined}>
                      <td class="what">{entity && <span class="label">{entity.name}</span>}</td>
                      <td class="range"><code>{space.range.map((part) => cellText(item[part.name])).join(' · ')}</code></td>
                      <td><div class="rest">{rest.slice(0, 12).map((name) => <span class="pairing" key={name}><small>{name}</small>{cellText(item[name]).slice(0, 60)}</span>)}</div></td>
                    </tr>
                  );
                })}
              </tbody></table></div>
              {group.items.length > rows.length && <Button small kind="quiet" onClick={() => setOpen(new Set([...open, group.key]))}>{plural(group.items.length - rows.length, 'more item')}</Button>}
            </section>
          );
        })}
      </div>
      {partitions.length > shownPartitions && <p class="quiet">The first {shownPartitions} partitions are shown.</p>}
    </div>
  );
}
