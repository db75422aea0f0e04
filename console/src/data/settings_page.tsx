// What a table is, and every change that the API allows: billing, stream, time to live, recovery, protection, indexes, tags.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../dynamo';
import { attempt, database, facts, go, tell } from '../state';
import { Charts } from '../ui/charts';
import { loadTable, loadTables, spacesOf } from '../tables';
import { Button, Confirm, Dialog, Field, Input, Select, bytesText, countText, timeText } from '../ui/parts';
import { IndexInputs, newIndex, projectionOf, schemaOf, type IndexForm } from './create_table';

interface More { ttl?: any; recovery?: any; tags?: { Key: string; Value: string }[]; insights?: string }

export function SettingsPage({ table }: { table: any }) {
  const name = table.TableName, arn = table.TableArn;
  const [more, setMore] = useState<More>({});
  const [dialog, setDialog] = useState<'' | 'delete' | 'billing' | 'ttl' | 'index' | 'tags'>('');
  const [index, setIndex] = useState<IndexForm>(newIndex());
  const [billing, setBilling] = useState({ mode: 'PAY_PER_REQUEST', read: '5', write: '5' });
  const [text, setText] = useState('');
  const quiet = { quiet: true };
  const load = async () => {
    const part = async <T,>(work: () => Promise<T>): Promise<T | undefined> => { try { return await work(); } catch { return undefined; } };
    setMore({
      ttl: (await part(() => call('DescribeTimeToLive', { TableName: name }, quiet)))?.TimeToLiveDescription,
      recovery: (await part(() => call('DescribeContinuousBackups', { TableName: name }, quiet)))?.ContinuousBackupsDescription,
      tags: (await part(() => call('ListTagsOfResource', { ResourceArn: arn }, quiet)))?.Tags,
      insights: (await part(() => call('DescribeContributorInsights', { TableName: name }, quiet)))?.ContributorInsightsStatus,
    });
  };
  useEffect(() => { load(); }, [name]);
  const change = (operation: string, input: any, said: string) => attempt(async () => {
    await call(operation, input);
    tell(said);
    setDialog('');
    await loadTable(name);
    await load();
  });
  const update = (input: any, said: string) => change('UpdateTable', { TableName: name, ...input }, said);
  const stream = table.StreamSpecification?.StreamEnabled ? table.StreamSpecification.StreamViewType : '';
  const recovering = more.recovery?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED';
  const onDemand = table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  const ttlName = more.ttl?.AttributeName;
  const row = (label: string, value: any, action?: any) => <div class="setting"><dt>{label}</dt><dd>{value}</dd><dd class="act">{action}</dd></div>;
  return (
    <div class="settings">
      {facts.value.metrics && <Charts table={name} remote={database.value === 'on'} />}
      <dl class="panel">
        {row('Status', <span class={'state ' + table.TableStatus}>{table.TableStatus.toLowerCase()}</span>)}
        {row('Created', timeText(table.CreationDateTime))}
        {row('ARN', <code>{arn}</code>)}
        {row('Items, size', `${countText(table.ItemCount)}, ${bytesText(table.TableSizeBytes)}`, <Button small onClick={() => attempt(() => loadTable(name, false))}>Read again</Button>)}
        {row('Billing', onDemand ? 'On demand' : `Provisioned: ${table.ProvisionedThroughput.ReadCapacityUnits} read, ${table.ProvisionedThroughput.WriteCapacityUnits} write units`,
          <Button small onClick={() => { setBilling({ mode: onDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED', read: String(table.ProvisionedThroughput?.ReadCapacityUnits || 5), write: String(table.ProvisionedThroughput?.WriteCapacityUnits || 5) }); setDialog('billing'); }}>Change</Button>)}
        {row('Stream', stream ? stream.toLowerCase().replace(/_/g, ' ') : 'off', stream
          ? <Button small onClick={() => update({ StreamSpecification: { StreamEnabled: false } }, 'The stream is off')}>Turn off</Button>
          : <Button small onClick={() => update({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }, 'The stream is on')}>Turn on</Button>)}
        {row('Time to live', ttlName ? <><code>{ttlName}</code> ({more.ttl.TimeToLiveStatus.toLowerCase()})</> : 'off', ttlName
          ? <Button small onClick={() => change('UpdateTimeToLive', { TableName: name, TimeToLiveSpecification: { Enabled: false, AttributeName: ttlName } }, 'Time to live is off')}>Turn off</Button>
          : <Button small onClick={() => { setText('expires'); setDialog('ttl'); }}>Turn on</Button>)}
        {row('Point-in-time recovery', recovering ? `on, from ${timeText(more.recovery.PointInTimeRecoveryDescription.EarliestRestorableDateTime)}` : 'off',
          <Button small onClick={() => change('UpdateContinuousBackups', { TableName: name, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: !recovering } }, recovering ? 'Recovery is off' : 'Recovery is on')}>Turn {recovering ? 'off' : 'on'}</Button>)}
        {row('Contributor Insights', (more.insights ?? 'DISABLED').toLowerCase(),
          <Button small onClick={() => change('UpdateContributorInsights', { TableName: name, ContributorInsightsAction: more.insights === 'ENABLED' ? 'DISABLE' : 'ENABLE' }, 'Contributor Insights changed')}>Turn {more.insights === 'ENABLED' ? 'off' : 'on'}</Button>)}
        {row('Deletion protection', table.DeletionProtectionEnabled ? 'on' : 'off',
          <Button small onClick={() => update({ DeletionProtectionEnabled: !table.DeletionProtectionEnabled }, 'Deletion protection changed')}>Turn {table.DeletionProtectionEnabled ? 'off' : 'on'}</Button>)}
        {row('Tags', (more.tags ?? []).length ? more.tags!.map((entry) => <span class="chip" key={entry.Key}>{entry.Key}={entry.Value} <button type="button" aria-label={'Remove tag ' + entry.Key} onClick={() => change('UntagResource', { ResourceArn: arn, TagKeys: [entry.Key] }, 'Tag removed')}>✕</button></span>) : 'none',
          <Button small onClick={() => { setText(''); setDialog('tags'); }}>Add</Button>)}
      </dl>
      <section class="panel">
        <div class="bar pad"><h2>Indexes</h2><span class="grow" /><Button small onClick={() => { setIndex(newIndex()); setDialog('index'); }}>Create global index</Button></div>
        <div class="scroll"><table class="list">
          <thead><tr><th scope="col">Name</th><th scope="col">Kind</th><th scope="col">Key</th><th scope="col">Projection</th><th scope="col" class="num">Items</th><th scope="col" class="num">Size</th><th scope="col">Status</th><th /></tr></thead>
          <tbody>{spacesOf(table).slice(1).map((entry) => (
            <tr key={entry.name}><th scope="row">{entry.name}</th><td>{entry.kind}</td><td><code>{[...entry.hash, ...entry.range].map((part) => `${part.name} ${part.type}`).join(', ')}</code></td><td>{entry.description.Projection?.ProjectionType?.toLowerCase().replace('_', ' ')}</td>
              <td class="num">{countText(entry.description.ItemCount)}</td><td class="num">{bytesText(entry.description.IndexSizeBytes)}</td><td>{entry.description.IndexStatus?.toLowerCase()}</td>
              <td class="num">{entry.kind === 'global' && <Button small kind="quiet" title={'Delete index ' + entry.name} onClick={() => update({ GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: entry.name } }] }, `Index ${entry.name} is being deleted`)}>Delete</Button>}</td></tr>
          ))}</tbody>
        </table></div>
      </section>
      <section class="panel danger"><div class="bar pad"><div><h2>Delete this table</h2><p class="quiet">Its items and indexes go with it.</p></div><span class="grow" /><Button kind="danger" onClick={() => setDialog('delete')}>Delete table</Button></div></section>
      {dialog === 'delete' && <Confirm title={`Delete ${name}?`} action="Delete table" word={name} onClose={() => setDialog('')} onConfirm={() => attempt(async () => { await call('DeleteTable', { TableName: name }); tell(`${name} is being deleted`); go('tables'); await loadTables(); })}><p>{countText(table.ItemCount)} items will be gone.</p></Confirm>}
      {dialog === 'billing' && <Dialog title="Billing" onClose={() => setDialog('')}><div class="body">
        <Field label="Mode"><Select label="Billing mode" value={billing.mode} options={[['PAY_PER_REQUEST', 'On demand'], ['PROVISIONED', 'Provisioned']]} onPick={(mode) => setBilling({ ...billing, mode })} /></Field>
        {billing.mode === 'PROVISIONED' && <><Field label="Read units"><Input label="Read units" value={billing.read} onText={(read) => setBilling({ ...billing, read })} /></Field><Field label="Write units"><Input label="Write units" value={billing.write} onText={(write) => setBilling({ ...billing, write })} /></Field></>}
      </div><footer><Button kind="main" onClick={() => {
        const units = { ReadCapacityUnits: Number(billing.read), WriteCapacityUnits: Number(billing.write) };
        const indexes = (table.GlobalSecondaryIndexes ?? []).map((index: any) => ({ Update: { IndexName: index.IndexName, ProvisionedThroughput: units } }));
        update(billing.mode === 'PROVISIONED' ? { BillingMode: 'PROVISIONED', ProvisionedThroughput: units, ...(onDemand && indexes.length ? { GlobalSecondaryIndexUpdates: indexes } : {}) } : { BillingMode: 'PAY_PER_REQUEST' }, 'Billing changed');
      }}>Save</Button></footer></Dialog>}
      {dialog === 'ttl' && <Dialog title="Time to live" onClose={() => setDialog('')}><div class="body"><Field label="Attribute" hint="a Number of seconds since 1970"><Input label="TTL attribute" mono value={text} onText={setText} /></Field></div>
        <footer><Button kind="main" onClick={() => change('UpdateTimeToLive', { TableName: name, TimeToLiveSpecification: { Enabled: true, AttributeName: text } }, 'Time to live is on')}>Turn on</Button></footer></Dialog>}
      {dialog === 'tags' && <Dialog title="Add tag" onClose={() => setDialog('')}><div class="body"><Field label="Tag" hint="name=value"><Input label="Tag" value={text} onText={setText} /></Field></div>
        <footer><Button kind="main" onClick={() => { const [key, ...value] = text.split('='); change('TagResource', { ResourceArn: arn, Tags: [{ Key: key.trim(), Value: value.join('=').trim() }] }, 'Tag added'); }}>Add</Button></footer></Dialog>}
      {dialog === 'index' && <Dialog wide title="Create global index" onClose={() => setDialog('')}><div class="body"><IndexInputs index={index} onIndex={setIndex} /></div>
        <footer><Button kind="main" onClick={() => {
          const types = new Map([[index.hash, index.hashType], ...(index.range ? [[index.range, index.rangeType] as [string, string]] : [])] as [string, string][]);
          update({ AttributeDefinitions: [...types].map(([attribute, type]) => ({ AttributeName: attribute, AttributeType: type })),
            GlobalSecondaryIndexUpdates: [{ Create: { IndexName: index.name, KeySchema: schemaOf(index.hash, index.range), Projection: projectionOf(index), ...(onDemand ? {} : { ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 } }) } }] }, `Index ${index.name} is being created`);
        }}>Create index</Button></footer></Dialog>}
    </div>
  );
}
