// Backups, exports and imports: what there is, how far it is, and new ones.
import { useEffect, useState } from 'preact/hooks';
import { call, everyPage } from '../dynamo';
import { attempt, newToken, tell } from '../state';
import { descriptions, loadTables, tableNames } from '../tables';
import { Button, Confirm, Dialog, Empty, Field, Input, Select, bytesText, timeText } from '../ui/parts';

const nameOf = (arn: string) => /table\/([^/]+)/.exec(arn ?? '')?.[1] ?? arn;
const keyTypes: [string, string][] = [['S', 'String'], ['N', 'Number'], ['B', 'Binary']];
const busy = (status: string) => /CREATING|IN_PROGRESS/.test(status ?? '');

export function BackupsPage() {
  const [backups, setBackups] = useState<any[]>([]);
  const [exports_, setExports] = useState<any[]>([]);
  const [imports, setImports] = useState<any[]>([]);
  const [fault, setFault] = useState('');
  const [dialog, setDialog] = useState<{ kind: string; arn?: string } | null>(null);
  const [form, setForm] = useState<Record<string, string>>({});
  const quiet = { quiet: true };
  const load = async () => {
    try {
      setBackups(await everyPage('ListBackups', {}, 'LastEvaluatedBackupArn', 'ExclusiveStartBackupArn', 'BackupSummaries'));
      const listed = (await call('ListExports', {}, quiet)).ExportSummaries ?? [];
      setExports(await Promise.all(listed.slice(0, 30).map(async (listing: any) => (await call('DescribeExport', { ExportArn: listing.ExportArn }, quiet)).ExportDescription)));
      const found = (await call('ListImports', {}, quiet)).ImportSummaryList ?? [];
      setImports(await Promise.all(found.slice(0, 30).map(async (entry: any) => (await call('DescribeImport', { ImportArn: entry.ImportArn }, quiet)).ImportTableDescription)));
      setFault('');
    } catch (error: any) { setFault(error.message); }
  };
  const working = [...backups.map((backup) => backup.BackupStatus), ...exports_.map((export_) => export_.ExportStatus), ...imports.map((import_) => import_.ImportStatus)].some(busy);
  useEffect(() => { load(); }, []);
  useEffect(() => { // one round after the other, so that a late answer does not overwrite a newer one
    if (!working) return;
    let timer = 0, gone = false;
    const again = async () => { await load(); if (!gone) timer = window.setTimeout(again, 700); };
    timer = window.setTimeout(again, 700);
    return () => { gone = true; clearTimeout(timer); };
  }, [working]);
  const set = (name: string) => (value: string) => setForm({ ...form, [name]: value });
  const start = (kind: string, first: Record<string, string>, arn?: string) => { setForm(first); setDialog({ kind, arn }); };
  const act = (operation: string, input: any, said: string) => attempt(async () => { await call(operation, input); tell(said); setDialog(null); await load(); if (/Restore|Import/.test(operation)) await loadTables(); });
  const tables = tableNames.value ?? [];
  const state = (status: string) => <span class={'state ' + status}>{busy(status) && <progress aria-label="In progress" />} {status?.toLowerCase().replace('_', ' ')}</span>;
  return (
    <div class="page">
      <h1>Backups, exports and imports</h1>
      {fault && <p class="fault" role="alert">{fault}</p>}
      <section class="panel"><div class="bar pad"><h2>Backups</h2><span class="grow" /><Button small onClick={() => start('backup', { table: tables[0] ?? '', name: 'backup-' + new Date().toISOString().slice(0, 10) })} disabled={!tables.length}>Back up a table</Button></div>
        {backups.length ? <div class="scroll"><table class="list"><thead><tr><th scope="col">Name</th><th scope="col">Table</th><th scope="col">Made</th><th scope="col" class="num">Size</th><th scope="col">Status</th><th /></tr></thead><tbody>
          {backups.map((entry) => <tr key={entry.BackupArn}><th scope="row">{entry.BackupName}</th><td>{entry.TableName}</td><td>{timeText(entry.BackupCreationDateTime)}</td><td class="num">{bytesText(entry.BackupSizeBytes)}</td><td>{state(entry.BackupStatus)}</td>
            <td class="num"><Button small kind="quiet" onClick={() => start('restore', { name: entry.TableName + '-restored' }, entry.BackupArn)}>Restore</Button><Button small kind="quiet" title={'Delete backup ' + entry.BackupName} onClick={() => start('delete', { name: entry.BackupName }, entry.BackupArn)}>Delete</Button></td></tr>)}
        </tbody></table></div> : <Empty>There are no backups.</Empty>}</section>
      <section class="panel"><div class="bar pad"><h2>Exports</h2><span class="grow" /><Button small onClick={() => start('export', { table: tables[0] ?? '', bucket: '', prefix: '', format: 'DYNAMODB_JSON' })} disabled={!tables.length}>Export a table</Button></div>
        {exports_.length ? <div class="scroll"><table class="list"><thead><tr><th scope="col">Table</th><th scope="col">To</th><th scope="col">Started</th><th scope="col" class="num">Items</th><th scope="col">Status</th></tr></thead><tbody>
          {exports_.map((export_) => <tr key={export_.ExportArn}><th scope="row">{nameOf(export_.TableArn)}</th><td><code>{export_.S3Bucket}/{export_.S3Prefix ?? ''}</code></td><td>{timeText(export_.StartTime)}</td><td class="num">{export_.ItemCount ?? '–'}</td><td>{state(export_.ExportStatus)} <span class="quiet">{export_.FailureMessage}</span></td></tr>)}
        </tbody></table></div> : <Empty>There are no exports. They need point-in-time recovery, and a bucket: a folder of <code>--buckets</code>.</Empty>}</section>
      <section class="panel"><div class="bar pad"><h2>Imports</h2><span class="grow" /><Button small onClick={() => start('import', { name: '', bucket: '', prefix: '', format: 'DYNAMODB_JSON', compression: 'NONE', hash: 'PK', hashType: 'S', range: '', rangeType: 'S', delimiter: ',' })}>Import a table</Button></div>
        {imports.length ? <div class="scroll"><table class="list"><thead><tr><th scope="col">Table</th><th scope="col">From</th><th scope="col">Started</th><th scope="col" class="num">Items</th><th scope="col">Status</th></tr></thead><tbody>
          {imports.map((import_) => <tr key={import_.ImportArn}><th scope="row">{nameOf(import_.TableArn)}</th><td><code>{import_.S3BucketSource?.S3Bucket}/{import_.S3BucketSource?.S3KeyPrefix ?? ''}</code></td><td>{timeText(import_.StartTime)}</td><td class="num">{import_.ImportedItemCount ?? 0}{import_.ErrorCount ? `, ${import_.ErrorCount} errors` : ''}</td><td>{state(import_.ImportStatus)} <span class="quiet">{import_.FailureMessage}</span></td></tr>)}
        </tbody></table></div> : <Empty>There are no imports. A file from this computer is imported on a table’s page.</Empty>}</section>
      {dialog?.kind === 'backup' && <Dialog title="Back up a table" onClose={() => setDialog(null)}><div class="body"><Field label="Table"><Select label="Table" value={form.table} options={tables} onPick={set('table')} /></Field><Field label="Name"><Input label="Backup name" value={form.name} onText={set('name')} /></Field></div>
        <footer><Button kind="main" onClick={() => act('CreateBackup', { TableName: form.table, BackupName: form.name }, 'Backup started')}>Back up</Button></footer></Dialog>}
      {dialog?.kind === 'restore' && <Dialog title="Restore into a new table" onClose={() => setDialog(null)}><div class="body"><Field label="New table"><Input label="New table" mono value={form.name} onText={set('name')} /></Field></div>
        <footer><Button kind="main" onClick={() => act('RestoreTableFromBackup', { BackupArn: dialog.arn, TargetTableName: form.name }, 'Restore started')}>Restore</Button></footer></Dialog>}
      {dialog?.kind === 'delete' && <Confirm title={`Delete backup ${form.name}?`} action="Delete" onClose={() => setDialog(null)} onConfirm={() => act('DeleteBackup', { BackupArn: dialog.arn }, 'Backup deleted')}><p>This cannot be undone.</p></Confirm>}
      {dialog?.kind === 'export' && <Dialog title="Export a table" onClose={() => setDialog(null)}><div class="body"><Field label="Table"><Select label="Table" value={form.table} options={tables} onPick={set('table')} /></Field><Field label="Bucket"><Input label="Bucket" mono value={form.bucket} onText={set('bucket')} /></Field><Field label="Prefix"><Input label="Prefix" mono value={form.prefix} onText={set('prefix')} /></Field><Field label="Format"><Select label="Format" value={form.format} options={[['DYNAMODB_JSON', 'DynamoDB JSON'], ['ION', 'Ion']]} onPick={set('format')} /></Field></div>
        <footer><Button kind="main" onClick={() => act('ExportTableToPointInTime', { TableArn: descriptions.value[form.table]?.TableArn, S3Bucket: form.bucket, ...(form.prefix ? { S3Prefix: form.prefix } : {}), ExportFormat: form.format }, 'Export started')}>Export</Button></footer></Dialog>}
      {dialog?.kind === 'import' && <Dialog title="Import a table" onClose={() => setDialog(null)}><div class="body form-grid"><Field label="New table"><Input label="New table" mono value={form.name} onText={set('name')} /></Field><Field label="Partition key"><span class="pair"><Input label="Partition key" mono value={form.hash} onText={set('hash')} /><Select label="Partition key type" value={form.hashType} options={keyTypes} onPick={set('hashType')} /></span></Field><Field label="Sort key" hint="or none"><span class="pair"><Input label="Sort key" mono value={form.range} onText={set('range')} /><Select label="Sort key type" value={form.rangeType} options={keyTypes} onPick={set('rangeType')} /></span></Field>
        <Field label="Bucket"><Input label="Bucket" mono value={form.bucket} onText={set('bucket')} /></Field><Field label="Prefix"><Input label="Prefix" mono value={form.prefix} onText={set('prefix')} /></Field><Field label="Format"><Select label="Format" value={form.format} options={['DYNAMODB_JSON', 'CSV', 'ION']} onPick={set('format')} /></Field><Field label="Compression"><Select label="Compression" value={form.compression} options={['NONE', 'GZIP', 'ZSTD']} onPick={set('compression')} /></Field>{form.format === 'CSV' && <Field label="Delimiter"><Input label="Delimiter" mono value={form.delimiter} onText={set('delimiter')} /></Field>}</div>
        <footer><Button kind="main" onClick={() => act('ImportTable', { ClientToken: newToken(), S3BucketSource: { S3Bucket: form.bucket, ...(form.prefix ? { S3KeyPrefix: form.prefix } : {}) }, InputFormat: form.format, InputCompressionType: form.compression, ...(form.format === 'CSV' ? { InputFormatOptions: { Csv: { Delimiter: form.delimiter } } } : {}),
          TableCreationParameters: { TableName: form.name, BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [[form.hash, form.hashType], [form.range, form.rangeType]].filter(([entry]) => entry).map(([entry, type]) => ({ AttributeName: entry, AttributeType: type })), KeySchema: [{ AttributeName: form.hash, KeyType: 'HASH' }, ...(form.range ? [{ AttributeName: form.range, KeyType: 'RANGE' }] : [])] } }, 'Import started')}>Import</Button></footer></Dialog>}
    </div>
  );
}
