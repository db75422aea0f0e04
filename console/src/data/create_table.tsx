// A new table by a form, with the request that it makes beside it. The server's own words say what is wrong.
import { useState } from 'preact/hooks';
import { call } from '../dynamo';
import { go, tell } from '../state';
import { loadTables } from '../tables';
import { Button, Dialog, Field, Input, Json, Select } from '../ui/parts';

interface IndexForm { name: string; local: boolean; hash: string; hashType: string; range: string; rangeType: string; projection: string; include: string }
const keyTypes: [string, string][] = [['S', 'String'], ['N', 'Number'], ['B', 'Binary']];
const newIndex = (): IndexForm => ({ name: '', local: false, hash: '', hashType: 'S', range: '', rangeType: 'S', projection: 'ALL', include: '' });

function KeyInputs(props: { label: string; name: string; type: string; onName: (name: string) => void; onType: (type: string) => void; disabled?: boolean }) {
  return (
    <Field label={props.label}>
      <span class="pair"><Input label={props.label} mono value={props.name} onText={props.onName} disabled={props.disabled} /><Select label={props.label + ' type'} value={props.type} options={keyTypes} onPick={props.onType} disabled={props.disabled} /></span>
    </Field>
  );
}
const projectionOf = (index: IndexForm) => ({ ProjectionType: index.projection, ...(index.projection === 'INCLUDE' ? { NonKeyAttributes: index.include.split(',').map((entry) => entry.trim()).filter(Boolean) } : {}) });
const schemaOf = (hash: string, range: string) => [{ AttributeName: hash, KeyType: 'HASH' }, ...(range ? [{ AttributeName: range, KeyType: 'RANGE' }] : [])];

export function IndexInputs({ index, onIndex, tableHash, onRemove }: { index: IndexForm; onIndex: (index: IndexForm) => void; tableHash?: string; onRemove?: () => void }) {
  const set = (part: Partial<IndexForm>) => onIndex({ ...index, ...part });
  return (
    <fieldset>
      <legend>{index.local ? 'Local' : 'Global'} index {index.name}</legend>
      <div class="form-grid">
        <Field label="Index name"><Input label="Index name" mono value={index.name} onText={(name) => set({ name })} /></Field>
        {tableHash !== undefined && <Field label="Kind"><Select label="Kind of index" value={index.local ? 'local' : 'global'} options={['global', 'local']} onPick={(kind) => set({ local: kind === 'local' })} /></Field>}
        <KeyInputs label="Index partition key" name={index.local ? tableHash ?? '' : index.hash} type={index.hashType} disabled={index.local} onName={(hash) => set({ hash })} onType={(hashType) => set({ hashType })} />
        <KeyInputs label="Index sort key" name={index.range} type={index.rangeType} onName={(range) => set({ range })} onType={(rangeType) => set({ rangeType })} />
        <Field label="Projection"><Select label="Projection" value={index.projection} options={[['ALL', 'All attributes'], ['KEYS_ONLY', 'Keys only'], ['INCLUDE', 'Some attributes']]} onPick={(projection) => set({ projection })} /></Field>
        {index.projection === 'INCLUDE' && <Field label="Attributes" hint="a, b"><Input label="Projected attributes" mono value={index.include} onText={(include) => set({ include })} /></Field>}
      </div>
      {onRemove && <Button small kind="quiet" onClick={onRemove}>Remove this index</Button>}
    </fieldset>
  );
}
export { newIndex, projectionOf, schemaOf, type IndexForm };

export function CreateTable({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ name: '', hash: 'PK', hashType: 'S', range: '', rangeType: 'S', billing: 'PAY_PER_REQUEST', read: '5', write: '5', stream: '', tags: '' });
  const [indexes, setIndexes] = useState<IndexForm[]>([]);
  const [fault, setFault] = useState('');
  const set = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const throughput = { ReadCapacityUnits: Number(form.read), WriteCapacityUnits: Number(form.write) };
  const provisioned = form.billing === 'PROVISIONED';
  const types = new Map<string, string>([[form.hash, form.hashType]]);
  if (form.range) types.set(form.range, form.rangeType);
  for (const index of indexes) {
    if (!index.local && index.hash) types.set(index.hash, types.get(index.hash) ?? index.hashType);
    if (index.range) types.set(index.range, types.get(index.range) ?? index.rangeType);
  }
  const indexOf = (index: IndexForm) => ({ IndexName: index.name, KeySchema: schemaOf(index.local ? form.hash : index.hash, index.range), Projection: projectionOf(index), ...(provisioned && !index.local ? { ProvisionedThroughput: throughput } : {}) });
  const globals = indexes.filter((index) => !index.local).map(indexOf), locals = indexes.filter((index) => index.local).map(indexOf);
  const tags = form.tags.split(',').map((entry) => entry.trim()).filter(Boolean).map((entry) => { const [key, ...value] = entry.split('='); return { Key: key.trim(), Value: value.join('=').trim() }; });
  const input = {
    TableName: form.name,
    AttributeDefinitions: [...types].map(([name, type]) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: schemaOf(form.hash, form.range),
    BillingMode: form.billing,
    ...(provisioned ? { ProvisionedThroughput: throughput } : {}),
    ...(globals.length ? { GlobalSecondaryIndexes: globals } : {}),
    ...(locals.length ? { LocalSecondaryIndexes: locals } : {}),
    ...(form.stream ? { StreamSpecification: { StreamEnabled: true, StreamViewType: form.stream } } : {}),
    ...(tags.length ? { Tags: tags } : {}),
  };
  const create = async () => {
    setFault('');
    try {
      await call('CreateTable', input);
      tell(`Table ${form.name} created`);
      onClose();
      go('tables', form.name);
      await loadTables();
    } catch (error: any) { setFault(error.message); }
  };
  return (
    <Dialog wide title="Create table" onClose={onClose}>
      <form class="body" onSubmit={(event) => { event.preventDefault(); create(); }}>
        <div class="form-grid">
          <Field label="Table name" wide><Input label="Table name" mono value={form.name} onText={(name) => set({ name })} /></Field>
          <KeyInputs label="Partition key" name={form.hash} type={form.hashType} onName={(hash) => set({ hash })} onType={(hashType) => set({ hashType })} />
          <KeyInputs label="Sort key" name={form.range} type={form.rangeType} onName={(range) => set({ range })} onType={(rangeType) => set({ rangeType })} />
          <Field label="Billing"><Select label="Billing" value={form.billing} options={[['PAY_PER_REQUEST', 'On demand'], ['PROVISIONED', 'Provisioned']]} onPick={(billing) => set({ billing })} /></Field>
          {provisioned && <Field label="Read and write units"><span class="pair"><Input label="Read units" value={form.read} onText={(read) => set({ read })} /><Input label="Write units" value={form.write} onText={(write) => set({ write })} /></span></Field>}
          <Field label="Stream"><Select label="Stream" value={form.stream} options={[['', 'None'], ['NEW_AND_OLD_IMAGES', 'New and old images'], ['NEW_IMAGE', 'New image'], ['OLD_IMAGE', 'Old image'], ['KEYS_ONLY', 'Keys only']]} onPick={(stream) => set({ stream })} /></Field>
          <Field label="Tags" hint="name=value, …"><Input label="Tags" value={form.tags} onText={(tags) => set({ tags })} /></Field>
        </div>
        {indexes.map((index, i) => <IndexInputs key={i} index={index} tableHash={form.hash} onIndex={(next) => setIndexes(indexes.map((index, n) => (n === i ? next : index)))} onRemove={() => setIndexes(indexes.filter((_, n) => n !== i))} />)}
        <Button small kind="quiet" onClick={() => setIndexes([...indexes, newIndex()])}>+ Index</Button>
        <details><summary>The request</summary><Json text={JSON.stringify(input, null, 2)} /></details>
        {fault && <p class="fault" role="alert">{fault}</p>}
        <footer><Button onClick={onClose}>Cancel</Button><button type="submit" class="button main">Create table</button></footer>
      </form>
    </Dialog>
  );
}
