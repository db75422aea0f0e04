// Edits a design's file with the checker's findings at their lines as one types; the document beside it follows.
import { useEffect, useRef, useState } from 'preact/hooks';
import { facts, tell } from '../state';
import { Button, Tabs, download, plural } from '../ui/parts';
import { TextEditor } from '../ui/text_editor';
import { checkDesign, descriptions, readDesign, type Description } from './designs';
import { DesignDocument } from './document';
import { Plan } from './plan';

const drafts: Record<string, string> = {};
const words: Record<string, string[]> = {
  '': ['design', 'version', 'about', 'tenant', 'types', 'tables', 'entities', 'limits', 'tallies', 'roles', 'reads', 'writes', 'reactions', 'claims'],
  types: ['string', 'int', 'number', 'bool', 'ulid', 'uuid', 'email', 'e164', 'time', 'date', 'url', 'json', 'binary', 'enum', 'set', 'list', 'map', 'optional', 'auto', 'touch', 'secret', 'encrypted', 'counter', 'revision', 'immutable'],
  keys: ['key', 'fields', 'index', 'unique', 'ttl', 'size', 'count', 'about', 'table', 'type', 'flow', 'shard', 'pack', 'spill', 'each', 'examples', 'on', 'project', 'billing', 'stream', 'indexes', 'one', 'keeps'],
  operations: ['get', 'query', 'scan', 'put', 'update', 'upsert', 'delete', 'check', 'find', 'require', 'let', 'limit', 'atomic', 'cascade', 'for', 'steps', 'takes', 'returns', 'allow', 'rate', 'by', 'set', 'add', 'remove', 'if', 'when', 'else', 'filter', 'descending', 'consistent', 'idempotent', 'about'],
};

export function DesignEditor({ design, description }: { design: string; description: Description }) {
  const [text, setText] = useState(drafts[design] ?? description.source);
  const [checked, setChecked] = useState<Description>(description);
  const [good, setGood] = useState<Description>(description); // the last that could be drawn
  const [checking, setChecking] = useState(false);
  const [side, setSide] = useState('findings');
  const [goTo, setGoTo] = useState<{ line: number } | null>(null);
  const [saved, setSaved] = useState(description.source);
  const abort = useRef<AbortController | null>(null);
  drafts[design] = text;
  useEffect(() => {
    const timer = setTimeout(async () => {
      abort.current?.abort();
      const mine = (abort.current = new AbortController());
      setChecking(true);
      try {
        const found = await checkDesign(text, mine.signal);
        setChecked(found);
        if (found.document) setGood(found);
      } catch (error: any) { if (!mine.signal.aborted) tell(error.message, 'bad'); }
      if (!mine.signal.aborted) setChecking(false);
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);
  const findings = checked.report.findings;
  const save = async () => {
    if (!facts.value.edits) return tell('The server was started without --edit, so files are not written. Download it instead.', 'bad');
    try {
      await readDesign(`/designs/${encodeURIComponent(design)}/source`, { method: 'PUT', body: text, headers: { 'Content-Type': 'application/yaml', 'X-Trestle-Replaces': await digest(saved) } });
      setSaved(text);
      descriptions.value = { ...descriptions.value, [design]: { ...checked, source: text } };
      tell('Saved. The server runs the design as it was until it is started again.');
    } catch (error: any) { tell(error.message, 'bad'); }
  };
  const names = [...good.entities.map((entity) => entity.name), ...good.entities.flatMap((entity) => entity.fields.map((field) => field.name)), ...good.tables.map((table) => table.name), ...good.tables.flatMap((table) => table.indexes.map((index) => index.name))];
  const complete = (before: string, line: number, whole: string) => {
    if (!before.trim() && !/^\s/.test(before)) return words[''];
    const above = whole.split('\n').slice(0, line).reverse().find((entry) => /^\w/.test(entry)) ?? '';
    const part = above.startsWith('reads') || above.startsWith('writes') ? words.operations : words.keys;
    return [...new Set([...part, ...(before.includes(':') ? words.types : []), ...names])];
  };
  const old = new Map(description.plans.map((plan) => [plan.operation, plan]));
  const changed = checked.plans.filter((plan) => JSON.stringify(plan.cost) !== JSON.stringify(old.get(plan.operation)?.cost) || JSON.stringify(plan.steps?.map((step: any) => ({ ...step, line: 0 }))) !== JSON.stringify(old.get(plan.operation)?.steps?.map((step: any) => ({ ...step, line: 0 }))));
  return (
    <div class="design-editor">
      <div class="bar">
        <span class={'status ' + (checked.report.errors ? 'bad' : 'good')} role="status">{checked.report.errors ? plural(checked.report.errors, 'error') : 'No errors'} · {plural(checked.report.warnings, 'warning')} · {plural(checked.report.notes, 'note')}{checking && ' · checking'}</span>
        <span class="grow" />
        <Button small kind="quiet" onClick={() => setText(description.source)} disabled={text === description.source}>Undo all</Button>
        <Button small onClick={() => download(design + '.yaml', text, 'application/yaml')}>Download</Button>
        <Button small kind="main" onClick={save} disabled={!facts.value.edits || text === saved} title={facts.value.edits ? 'Save' : 'Saving needs trestle serve --edit'}>Save</Button>
      </div>
      <div class="halves">
        <TextEditor language="yaml" label="Design file" text={text} onChange={setText} onSave={save} findings={findings} words={complete} goTo={goTo} class="file" />
        <div class="beside">
          <Tabs small label="Beside the file" current={side} onPick={setSide} tabs={[['findings', `Findings ${findings.length || ''}`], ['document', 'Map and cost'], ['plans', `Changed plans ${changed.length || ''}`]]} />
          {side === 'findings' ? (findings.length ? <ol class="findings">{findings.map((finding, i) => (
            <li key={i} class={finding.severity}><button type="button" onClick={() => setGoTo({ line: finding.line })}><span class="severity">{finding.severity} {finding.code}</span> <span class="quiet">line {finding.line}</span><span class="message">{finding.message}</span>{finding.repair && <span class="repair">{finding.repair}</span>}</button></li>
          ))}</ol> : <p class="quiet pad">The checker finds nothing.</p>)
            : side === 'plans' ? (changed.length ? changed.map((change) => <section key={change.operation}><h3>{change.operation}</h3><Plan plan={change} /></section>) : <p class="quiet pad">{checked.report.errors ? 'Plans are made when the design has no errors.' : 'No plan differs from the design that runs.'}</p>)
            : <DesignDocument description={good} design={design} />}
        </div>
      </div>
    </div>
  );
}
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((entry) => entry.toString(16).padStart(2, '0')).join('');
}
