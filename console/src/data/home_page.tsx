// The server at a glance: figures from /metrics as small charts, and every table.
import { useState } from 'preact/hooks';
import { address, database, facts, place } from '../state';
import { descriptions, tableNames } from '../tables';
import { Button, Empty, bytesText, countText } from '../ui/parts';
import { Charts } from '../ui/charts';
import { CreateTable } from './create_table';

export function HomePage() {
  const [creating, setCreating] = useState(place.value[1] === 'create');
  const names = tableNames.value;
  return (
    <div class="page">
      <header class="title">
        <div><h1>{location.host}</h1><p class="quiet">Trestle {facts.value.version} · {facts.value.region}{facts.value.on && ` · designs on ${facts.value.on}`}</p></div>
        <span class="grow" />
        <Button kind="main" onClick={() => setCreating(true)}>Create table</Button>
      </header>
      {facts.value.metrics && <Charts remote={database.value === 'on'} />}
      <section aria-label="Tables">
        <h2>Tables</h2>
        {names === null ? <Empty>Reading…</Empty> : names.length === 0 ? <Empty>There are no tables yet. Create one, or point an SDK at {location.origin}.</Empty> : (
          <div class="scroll"><table class="list">
            <thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Indexes</th><th scope="col" class="num">Items</th><th scope="col" class="num">Size</th><th scope="col">Billing</th><th scope="col">Stream</th></tr></thead>
            <tbody>
              {names.map((name) => {
                const table = descriptions.value[name];
                return (
                  <tr key={name}>
                    <th scope="row"><a href={address('tables', name)}>{name}</a>{table && table.TableStatus !== 'ACTIVE' && <> <span class={'state ' + table.TableStatus}>{table.TableStatus.toLowerCase()}</span></>}</th>
                    <td class="keys"><code>{table?.KeySchema.map((part: any) => part.AttributeName).join(', ')}</code></td>
                    <td class="wraps">{[...(table?.GlobalSecondaryIndexes ?? []), ...(table?.LocalSecondaryIndexes ?? [])].map((entry: any) => entry.IndexName).join(', ')}</td>
                    <td class="num">{countText(table?.ItemCount)}</td>
                    <td class="num">{bytesText(table?.TableSizeBytes)}</td>
                    <td>{table && (table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' ? 'On demand' : `${table.ProvisionedThroughput?.ReadCapacityUnits} / ${table.ProvisionedThroughput?.WriteCapacityUnits}`)}</td>
                    <td>{table?.StreamSpecification?.StreamEnabled ? ({ NEW_AND_OLD_IMAGES: 'new, old', NEW_IMAGE: 'new', OLD_IMAGE: 'old', KEYS_ONLY: 'keys' } as Record<string, string>)[table.StreamSpecification.StreamViewType] : ''}</td>
                  </tr>
                );
              })}
            </tbody>
          </table></div>
        )}
      </section>
      {creating && <CreateTable onClose={() => setCreating(false)} />}
    </div>
  );
}
