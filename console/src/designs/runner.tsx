// Runs a design's operations: a form made from the inputs' types, the answer with its plan, and where its ids lead.
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, go, newToken } from '../state';
import { plainText, readPlain, type Item, type Value } from '../values';
import { Button, Copy, Empty, Json, Menu, Select, Tabs, Input } from '../ui/parts';
import { Grid } from '../ui/grid';
import { TextEditor } from '../ui/text_editor';
import { msText } from '../ui/request_panel';
import { caller, callerHeaders, documents, loadDocument, runAtOnce, setCaller, type Description } from './designs';
import { Fields } from './inputs';
import { Num, jsonText, readJson, resolve, sample, typeText } from './schema';
import { Plan, planSummary } from './plan';
import { RequestsMade, type Trace } from './requests_made';

interface Past { operation: string; body: string; status: number; ms: number; at: string }
interface Answer { status: number; ms: number; text: string; value: Value | null; etag: string | null; problem: any; trace: Trace | null }
interface Draft { value: any; raw: string | null; headers: Record<string, string> }

// While the console is open, by design: what was typed, what was answered, and values seen by name.
const drafts: Record<string, Draft> = {};
const answers: Record<string, Answer> = {};
const knownValues: Record<string, Record<string, any>> = {};
const mayNotTrace = new Set<string>(); // callers who are no operators

const historyName = (design: string) => 'trestle-calls-' + design;
const readHistory = (design: string): Past[] => { try { return JSON.parse(sessionStorage.getItem(historyName(design)) ?? '[]'); } catch { return []; } };

// Notes the scalar fields of an answer, so that later samples and links use real ids.
function learn(value: Value | undefined, known: Record<string, any>): void {
  if (value?.L) value.L.slice(0, 50).toReversed().forEach((element: Value) => learn(element, known));
  if (!value?.M) return;
  for (const [name, entry] of Object.entries(value.M as Item)) {
    if (entry.S !== undefined && name !== 'next') known[name] = entry.S;
    else if (entry.N !== undefined) known[name] = new Num(entry.N);
    else learn(entry, known);
  }
}

export function Runner({ design, operation, description }: { design: string; operation?: string; description?: Description }) {
  const document = documents.value[design];
  useEffect(() => { if (!document) loadDocument(design).catch(() => undefined); }, [design]);
  const [wanted, setWanted] = useState('');
  const [, again] = useState(0);
  const redraw = () => again((count) => count + 1);
  const [tab, setTab] = useState('answer');
  const [busy, setBusy] = useState(false);
  const [past, setPast] = useState(() => readHistory(design));
  const [row, setRow] = useState<Item | null>(null);
  useEffect(() => setRow(null), [operation]);
  const sendNow = useRef<() => void>(() => undefined);
  useEffect(() => { if (document && operation && runAtOnce.value === operation) { runAtOnce.value = ''; sendNow.current(); } }, [operation, document]);
  if (!document) return <Empty>Reading…</Empty>;
  const known = (knownValues[design] ??= {});
  const operations = Object.entries<any>(document.paths).map(([path, methods]) => ({ path, name: methods.post.operationId as string, post: methods.post, write: methods.post.tags?.includes('writes') }));
  const current = operations.find((candidate) => candidate.name === operation) ?? null;
  const schemaOf = (target: (typeof operations)[number]) => resolve(target.post.requestBody?.content['application/json'].schema ?? {}, document);
  // Values seen under an input's name; those of the operation's entities come first.
  const knownOf = (name: string, input: string) => {
    const operation = description?.operations.find((operation) => operation.name === name);
    const own = (operation?.entities ?? []).map((entity) => `${entity}.${input}`).find((field) => known[field] !== undefined);
    return own ? { ...known, [input]: known[own] } : known;
  };
  // What is needed is filled in with a sample; what is optional is left to the caller.
  const filled = (target: (typeof operations)[number], everything = false) => {
    const schema = schemaOf(target);
    return Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => everything ? !['next', 'descending'].includes(name) : (schema.required ?? []).includes(name)).map(([name, inner]) => [name, sample(inner, document, name, knownOf(target.name, name))]));
  };
  const draftOf = (target: (typeof operations)[number]) => (drafts[design + '.' + target.name] ??= { value: filled(target), raw: null, headers: {} });
  const answer = current ? answers[design + '.' + current.name] : undefined;
  const draft = current ? draftOf(current) : undefined;
  const body = draft ? draft.raw ?? jsonText(draft.value) : '';

  const send = async () => {
    if (!current || !draft || busy) return;
    setBusy(true);
    const began = performance.now();
    try {
      const post = (more: Record<string, string>) => fetch(current.path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...callerHeaders(), ...Object.fromEntries(Object.entries(draft.headers).filter(([, value]) => value)), ...more }, body });
      // Only operators may see the requests. Others are refused before anything is done, and call without.
      const who = JSON.stringify(caller.value);
      const asks = !mayNotTrace.has(who);
      let reply = await post(asks ? { 'Trestle-Trace': 'requests' } : {});
      if (asks && reply.status === 403 && !reply.headers.has('Trestle-Trace')) { mayNotTrace.add(who); reply = await post({}); }
      const ms = performance.now() - began;
      let text = await reply.text();
      let value: Value | null = null, trace: Trace | null = null;
      try { value = readPlain(text); } catch { /* shown as text */ }
      if (value?.M && reply.headers.has('Trestle-Trace')) {
        const { requests, omitted } = JSON.parse(text);
        trace = { requests, omitted };
        value = value.M.answer;
        text = plainText(value!);
      }
      const received: Answer = { status: reply.status, ms, text, value, etag: reply.headers.get('ETag'), problem: reply.ok ? null : JSON.parse(text || '{}'), trace };
      if (reply.ok && value) {
        learn(value, known);
        const answered = resolve(current.post.responses?.['200']?.content?.['application/json']?.schema, document)?.properties;
        const entity = (answered?.item?.$ref ?? answered?.items?.items?.$ref)?.split('/').pop();
        const item = value.M?.item?.M ?? value.M?.items?.L?.[0]?.M ?? {};
        for (const [name, entry] of Object.entries<Value>(item)) if (entry.S !== undefined || entry.N !== undefined) known[`${entity}.${name}`] = entry.S ?? new Num(entry.N);
      }
      answers[design + '.' + current.name] = received;
      const now = [{ operation: current.name, body, status: received.status, ms: received.ms, at: new Date().toLocaleTimeString() }, ...past].slice(0, 50);
      sessionStorage.setItem(historyName(design), JSON.stringify(now));
      setPast(now);
      setTab('answer');
      setRow(null);
    } catch (error: any) {
      answers[design + '.' + current.name] = { status: 0, ms: performance.now() - began, text: error.message, value: null, etag: null, trace: null, problem: { title: 'The server cannot be reached', detail: error.message } };
    }
    setBusy(false);
  };
  sendNow.current = send;
  const faults: Record<string, string> = Object.fromEntries((answer?.problem?.errors ?? []).map((error: any) => [error.field, error.reason]));
  const quoted = (text: string) => "'" + text.replace(/'/g, "'\\''") + "'";
  const headers = { ...callerHeaders(), ...Object.fromEntries(Object.entries(draft?.headers ?? {}).filter(([, value]) => value)) };
  const curl = current ? [`curl ${quoted(location.origin + current.path)}`, ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(([name, value]) => '-H ' + quoted(`${name}: ${value}`)), '-d ' + quoted(body.replace(/\n\s*/g, ' '))].join(' \\\n  ') : '';
  const isList = current !== null && resolve(current.post.responses?.['200']?.content?.['application/json']?.schema, document)?.properties?.items !== undefined;
  const client = pascal(design) + 'Client';
  const credential = !caller.value.value ? '' : caller.value.scheme === 'key' ? ', apiKey: process.env.API_KEY' : ', token: process.env.TOKEN';
  const typescript = current ? `// trestle design export ${design}.yaml --to typescript > ${design}.ts\nimport { ${client} } from './${design}';\n\nconst client = new ${client}({ url: '${location.origin}'${credential} });\n`
    + (isList ? `for await (const item of client.${current.name}(${body})) console.log(item);` : `const reply = await client.${current.name}(${body});`) : '';

  const inner = answer?.value?.M;
  const list: Item[] | null = inner?.items?.L?.every((element: Value) => element.M) ? inner.items.L.map((element: Value) => element.M) : null;
  const single: Item | null = inner?.item?.M ?? (inner && !inner.items ? inner : null);
  const record = row ?? (list ? null : single);
  // Operations that take a field of the record, those that take most of them first.
  const onward = record && description ? description.operations.map((candidate) => ({ candidate, fits: candidate.inputs.filter((input) => record[input.name] !== undefined && (record[input.name].S !== undefined || record[input.name].N !== undefined)).length, needs: candidate.inputs.filter((input) => !input.optional).length }))
    .filter(({ candidate, fits }) => fits > 0 && candidate.name !== operation).sort((a, b) => b.fits / Math.max(1, b.needs) - a.fits / Math.max(1, a.needs)).slice(0, 14) : [];
  const goOn = (name: string) => {
    const next = operations.find((operation) => operation.name === name)!;
    const from = Object.fromEntries(Object.entries(record!).filter(([, entry]) => entry.S !== undefined || entry.N !== undefined).map(([field, entry]) => [field, entry.S ?? new Num(entry.N)]));
    Object.assign(known, from);
    const fields = Object.keys(schemaOf(next).properties ?? {});
    drafts[design + '.' + name] = { value: { ...filled(next), ...Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field) && description!.operations.find((operation) => operation.name === name)!.inputs.some((input) => input.name === field && !input.optional))) }, raw: null, headers: {} };
    go('designs', design, 'run', name);
  };
  const responseSchema = current && resolve(current.post.responses?.['200']?.content?.['application/json']?.schema, document);
  return (
    <div class="runner" onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send(); } }}>
      <aside class="operations" aria-label="Operations">
        <input type="search" aria-label="Find an operation" placeholder="Find an operation" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        {[['Reads', false], ['Writes', true]].map(([title, write]) => (
          <div key={String(title)}><h3>{title}</h3><ul>
            {operations.filter((operation) => !!operation.write === write && operation.name.toLowerCase().includes(wanted.toLowerCase())).map((entry) => (
              <li key={entry.name}><a href={address('designs', design, 'run', entry.name)} aria-current={entry.name === operation ? 'page' : undefined}>{entry.name}{entry.post.security && <span class="chip">signed in</span>}</a></li>
            ))}
          </ul></div>
        ))}
      </aside>
      {!current ? <Empty>Pick an operation.</Empty> : <>
        <section class="call" aria-label="Call">
          <header><h2>{current.name}</h2><span class={'chip ' + (current.write ? 'write' : 'read')}>{current.write ? 'write' : 'read'}</span></header>
          {current.post.description && <p class="quiet">{current.post.description}</p>}
          {current.post['x-trestle-allow'] && <p class="quiet">Who may call: <code>{current.post['x-trestle-allow']}</code></p>}
          <div class="bar">
            <Tabs small label="Inputs" current={draft!.raw === null ? 'form' : 'json'} tabs={[['form', 'Form'], ['json', 'JSON']]} onPick={(id) => {
              if (id === 'json') draft!.raw ??= jsonText(draft!.value);
              else if (draft!.raw !== null) { try { draft!.value = readJson(draft!.raw || '{}'); draft!.raw = null; } catch { return; } }
              redraw();
            }} />
            <span class="grow" />
            <Button small kind="quiet" onClick={() => { drafts[design + '.' + current.name] = { ...draft!, value: filled(current, true), raw: null }; redraw(); }}>Sample</Button>
            <Button small kind="quiet" onClick={() => { drafts[design + '.' + current.name] = { value: {}, raw: null, headers: {} }; redraw(); }}>Clear</Button>
          </div>
          {draft!.raw !== null ? <TextEditor class="inputs-json" key={current.name} language="json" label="Inputs as JSON" text={draft!.raw} onChange={(text) => { draft!.raw = text; redraw(); }} onRun={send} />
            : Object.keys(schemaOf(current).properties ?? {}).length === 0 ? <p class="quiet">It takes no inputs.</p>
            : <Fields key={current.name} schema={schemaOf(current)} document={document} value={draft!.value} known={known} faults={faults} onValue={(value) => { draft!.value = value; redraw(); }} />}
          {(current.post.parameters ?? []).filter((parameter: any) => parameter.in === 'header').map((parameter: any) => (
            <div class="input" key={parameter.name}><div class="name"><code>{parameter.name}</code><span class="hint">header</span></div>
              <span class="pair"><Input label={parameter.name} mono value={draft!.headers[parameter.name] ?? ''} onText={(text) => { draft!.headers[parameter.name] = text; redraw(); }} />
                {parameter.name === 'Idempotency-Key' && <Button small onClick={() => { draft!.headers[parameter.name] = newToken(); redraw(); }}>New</Button>}</span></div>
          ))}
          <div class="bar"><Button kind="main" title="Call" disabled={busy} onClick={send}>Call <kbd aria-hidden="true">Ctrl ↵</kbd></Button>{answer && <span class={'status ' + (answer.status < 400 && answer.status > 0 ? 'good' : 'bad')} role="status">{answer.status || 'failed'} · {msText(answer.ms)}</span>}</div>
          <details class="who"><summary>Caller{caller.value.value ? '' : ': nobody'}</summary>
            <div class="pair"><Select label="Kind of credential" value={caller.value.scheme} options={[['bearer', 'Bearer token'], ['key', 'API key']]} onPick={(scheme) => setCaller({ ...caller.value, scheme: scheme as any })} />
              <Input label="Credential" type="password" mono value={caller.value.value} onText={(value) => setCaller({ ...caller.value, value })} placeholder="kept for this tab only" /></div></details>
        </section>
        <section class="reply" aria-label="Answer">
          <Tabs small label="Answer" current={tab} onPick={setTab} tabs={[['answer', 'Answer'], ['json', 'JSON'], ['plan', 'Plan'], ['curl', 'curl'], ['typescript', 'TypeScript'], ['history', `History ${past.length || ''}`]]} />
          {tab === 'plan' ? <Plan plan={description?.plans.find((plan) => plan.operation === current.name)} />
            : tab === 'curl' ? <div class="copyable"><Copy text={curl} /><pre class="code" tabIndex={0}>{curl}</pre></div>
            : tab === 'typescript' ? <div class="copyable"><Copy text={typescript} /><pre class="code" tabIndex={0}>{typescript}</pre></div>
            : tab === 'history' ? (past.length ? <ol class="past-calls">{past.map((entry, i) => <li key={i}><button type="button" onClick={() => { try { drafts[design + '.' + entry.operation] = { value: readJson(entry.body || '{}'), raw: null, headers: {} }; } catch { drafts[design + '.' + entry.operation] = { value: {}, raw: entry.body, headers: {} }; } go('designs', design, 'run', entry.operation); redraw(); }}><b>{entry.operation}</b> <span class={'status ' + (entry.status < 400 ? 'good' : 'bad')}>{entry.status}</span> <span class="quiet">{msText(entry.ms)} · {entry.at}</span><code>{entry.body.replace(/\s+/g, ' ')}</code></button></li>)}</ol> : <Empty>Calls are listed here, for this tab.</Empty>)
            : !answer ? <Empty>{responseSchema?.properties ? <>It answers <code>{Object.entries(responseSchema.properties).map(([name, entry]) => `${name}: ${typeText(entry, document)}`).join(', ')}</code></> : 'Call it to see the answer.'}</Empty>
            : tab === 'json' ? <Json text={answer.value ? plainText(answer.value) : answer.text} />
            : answer.problem ? <div class="problem" role="alert"><h3>{answer.problem.title ?? answer.status}</h3><p>{answer.problem.detail}</p>{(answer.problem.errors ?? []).map((error: any) => <p key={error.field}><code>{error.field}</code> {error.reason}</p>)}</div>
            : <>
              {list ? (list.length ? <Grid items={list} keys={[]} label="Answer" onOpen={(item) => setRow(item)} /> : <Empty>The list is empty.</Empty>)
                : single ? <dl class="record">{Object.entries(single).map(([name, entry]) => <div key={name}><dt>{name}</dt><dd>{entry.M || entry.L ? <Json text={plainText(entry)} /> : <code>{plainText(entry).replace(/^"|"$/g, '')}</code>}</dd></div>)}</dl>
                : <Json text={answer.value ? plainText(answer.value) : answer.text} />}
              {inner?.next?.S && <div class="bar"><Button onClick={() => { draft!.value = { ...draft!.value, next: inner.next.S }; draft!.raw = null; redraw(); setTimeout(() => sendNow.current()); }}>Next page</Button></div>}
              {row && <dl class="record">{Object.entries(row).map(([name, entry]) => <div key={name}><dt>{name}</dt><dd><code>{plainText(entry).replace(/^"|"$/g, '')}</code></dd></div>)}</dl>}
              {onward.length > 0 && <div class="onward"><h3>Go on with this</h3><div class="bar wrap">{onward.slice(0, 8).map(({ candidate }) => <Button small key={candidate.name} onClick={() => goOn(candidate.name)}>{candidate.name}</Button>)}{onward.length > 8 && <Menu label="More" title="More operations" items={onward.slice(8).map(({ candidate }): [string, () => void] => [candidate.name, () => goOn(candidate.name)])} />}</div></div>}
            </>}
          {answer?.trace && (tab === 'answer' || tab === 'json' || tab === 'plan') && <RequestsMade trace={answer.trace} planned={planSummary(description?.plans.find((plan) => plan.operation === current.name))} />}
        </section>
      </>}
    </div>
  );
}
const pascal = (name: string) => name.replace(/(?:^|[-_])(\w)/g, (_, letter) => letter.toUpperCase());
