// An operation's plan: the requests it makes, what decides them, and their units.
import { Empty } from '../ui/parts';

const units = (cost: any, kind: 'read' | 'write') => { const figure = cost?.[kind]; return figure && figure.worst > 0 ? `${figure.typical}${figure.best !== figure.worst ? ` (${figure.best}–${figure.worst})` : ''}` : null; };

function Request({ request }: { request: any }) {
  return (
    <div class="request">
      <div><b>{request.request}</b> <code>{request.table}{request.index && ' / ' + request.index}</code> {request.entity && <span class="quiet">{request.entity}{request.guard && `, keeps ${request.guard} unique`}</span>}</div>
      <dl>
        {request.key && Object.entries(request.key).map(([name, value]) => <div key={name}><dt>{name}</dt><dd><code>{String(value)}</code></dd></div>)}
        {request.key_condition && <div><dt>keys</dt><dd><code>{request.key_condition}</code></dd></div>}
        {request.condition && <div><dt>if</dt><dd><code>{request.condition}</code></dd></div>}
        {request.update && <div><dt>update</dt><dd><code>{request.update}</code></dd></div>}
        {request.filter && <div><dt>filter</dt><dd><code>{request.filter}</code></dd></div>}
        {(request.refusals ?? []).map((refusal: any, n: number) => <div key={n}><dt>{refusal.cause}</dt><dd>{refusal.status} {refusal.message}</dd></div>)}
      </dl>
      {(request.extreme_reads ?? []).map((read: any, n: number) => <div key={n}><span class="quiet">only if <code>{read.only_if_goes}</code> is the value that goes:</span><Request request={read.query} /></div>)}
    </div>
  );
}
function Step({ step }: { step: any }) {
  return (
    <li class="step">
      <div class="head"><b>{step.step}{step.transaction && ' in one transaction'}</b>{step.name && <code>{step.name}</code>}{step.line && <span class="quiet">line {step.line}</span>}<span class="grow" />
        {units(step.cost, 'read') && <span class="units">{units(step.cost, 'read')} read</span>}{units(step.cost, 'write') && <span class="units">{units(step.cost, 'write')} write</span>}</div>
      {(step.requests ?? []).map((request: any, i: number) => <Request key={i} request={request} />)}
      {step.steps?.length > 0 && <ol>{step.steps.map((entry: any, i: number) => <Step key={i} step={entry} />)}</ol>}
    </li>
  );
}
// A plan over a list of inputs has no most.
const requestsOf = ({ requests_least: least, requests_most: most }: any) => (most === null || most === undefined ? `${least} or more requests` : `${least === most ? most : `${least} to ${most}`} ${most === 1 ? 'request' : 'requests'}`);
export function planSummary(plan: any): string | undefined {
  if (!plan) return undefined;
  return [requestsOf(plan), ...(['read', 'write'] as const).filter((kind) => units(plan.cost, kind)).map((kind) => `${units(plan.cost, kind)} ${kind}`)].join(', ');
}
export function Plan({ plan }: { plan: any }) {
  if (!plan) return <Empty>There is no plan for it.</Empty>;
  return (
    <div class="plan">
      <p>{requestsOf(plan)}{units(plan.cost, 'read') && <>, <b>{units(plan.cost, 'read')}</b> read units</>}{units(plan.cost, 'write') && <>, <b>{units(plan.cost, 'write')}</b> write units</>}</p>
      <ol class="steps">{(plan.steps ?? []).map((entry: any, i: number) => <Step key={i} step={entry} />)}</ol>
    </div>
  );
}
