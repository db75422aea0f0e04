// What was last asked of the database: the request, its answer, units and time, and the same call as code.
import { useState } from 'preact/hooks';
import { exchanges, shownExchange, type Exchange } from '../dynamo';
import { cliCode, javascriptCode, pythonCode } from '../code';
import { facts } from '../state';
import { Button, Copy, Json, Tabs } from './parts';

export const msText = (ms: number) => (ms < 10 ? ms.toFixed(1) : Math.round(ms)) + ' ms';

function summary(exchange: Exchange) {
  return <>
    <b>{exchange.operation}</b>
    {exchange.input.TableName && <span>{exchange.input.TableName}{exchange.input.IndexName && ' / ' + exchange.input.IndexName}</span>}
    {exchange.units !== undefined && <span class="units">{exchange.units} {exchange.units === 1 ? 'unit' : 'units'}</span>}
    {exchange.output?.Count !== undefined && <span>{exchange.output.Count} of {exchange.output.ScannedCount} items</span>}
    <span class="ms">{msText(exchange.ms)}</span>
    {exchange.error && <span class="bad">{exchange.error.kind}</span>}
  </>;
}

const answerMax = 100_000;

export function RequestPanel() {
  const [open, setOpen] = useState(false);
  const [tab, setTab] = useState('request');
  const exchange = shownExchange.value;
  if (!exchange) return null;
  const endpoint = location.origin;
  const answer = JSON.stringify(exchange.error ? exchange.error.body ?? { message: exchange.error.message } : exchange.output, null, 2);
  const texts: Record<string, () => string> = {
    request: () => JSON.stringify(exchange.input, null, 2),
    answer: () => (answer.length > answerMax ? answer.slice(0, answerMax) + '\n…' : answer),
    cli: () => cliCode(exchange.operation, exchange.input, endpoint),
    javascript: () => javascriptCode(exchange.operation, exchange.input, endpoint, facts.value.region),
    python: () => pythonCode(exchange.operation, exchange.input, endpoint, facts.value.region),
  };
  const text = open ? texts[tab]() : '';
  return (
    <section class={'requests' + (open ? ' open' : '')} aria-label="Requests">
      <button type="button" class="strip" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▴'}</span> <span class="summary">{summary(exchange)}</span> <span class="more">Request and code</span>
      </button>
      {open && <div class="panes">
        <ol class="past" aria-label="Earlier requests">
          {exchanges.value.map((entry) => (
            <li key={entry.id}><button type="button" aria-current={entry === exchange} onClick={() => { shownExchange.value = entry; }}>{summary(entry)}</button></li>
          ))}
        </ol>
        <div class="one">
          <div class="bar">
            <Tabs small label="Request" current={tab} onPick={setTab}
              tabs={[['request', 'Request'], ['answer', 'Answer'], ['cli', 'AWS CLI'], ['javascript', 'JavaScript'], ['python', 'Python']]} />
            <Copy text={text} />
            <Button small kind="quiet" title="Close the request panel" onClick={() => setOpen(false)}>✕</Button>
          </div>
          {tab === 'request' || tab === 'answer' ? <Json text={text} /> : <pre class="code" tabIndex={0}>{text}</pre>}
        </div>
      </div>}
    </section>
  );
}
