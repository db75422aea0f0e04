// One table: items, collections, stream, settings.
import { useEffect, useState } from 'preact/hooks';
import { go } from '../state';
import { descriptions, loadTable, tableNames } from '../tables';
import { Empty, Tabs, bytesText, plural } from '../ui/parts';
import { ItemsPage } from './items_page';
import { CollectionsPage } from './collections_page';
import { StreamPage } from './stream_page';
import { SettingsPage } from './settings_page';

export function TablePage({ name, tab }: { name: string; tab: string }) {
  const [fault, setFault] = useState('');
  useEffect(() => { loadTable(name).then(() => setFault(''), (error) => setFault(error.message)); }, [name]);
  const table = descriptions.value[name];
  if (!table) return <div class="page">{fault ? <p class="fault" role="alert">{fault}</p> : tableNames.value?.length === 0 ? <Empty>There is no such table.</Empty> : <Empty>Reading…</Empty>}</div>;
  const tabs: [string, string][] = [['items', 'Items'], ['collections', 'Collections'], ['stream', 'Stream'], ['settings', 'Settings']];
  return (
    <div class="page table-page">
      <header class="title">
        <div><h1>{name}</h1><p class="quiet">{plural(table.ItemCount ?? 0, 'item')} · {bytesText(table.TableSizeBytes)} · key <code>{table.KeySchema.map((part: any) => part.AttributeName).join(', ')}</code>
          {table.GlobalSecondaryIndexes?.length > 0 && <> · {table.GlobalSecondaryIndexes.map((index: any) => index.IndexName).join(', ')}</>}{table.TableStatus !== 'ACTIVE' && <> · <span class={'state ' + table.TableStatus}>{table.TableStatus.toLowerCase()}</span></>}</p></div>
      </header>
      <Tabs label="Table" tabs={tabs} current={tab} onPick={(id) => go('tables', name, id)} />
      {tab === 'collections' ? <CollectionsPage table={table} /> : tab === 'stream' ? <StreamPage table={table} /> : tab === 'settings' ? <SettingsPage table={table} /> : <ItemsPage key={name} table={table} />}
    </div>
  );
}
