// A form for a value of a JSON Schema: fields, rows for lists, nested fields for records, pairs for maps.
import { Num, resolve, sample, typeText, unwrap, type Schema } from './schema';
import { Button, Input, Select } from '../ui/parts';
import { useState } from 'preact/hooks';
import { jsonText, readJson } from './schema';

interface Props { schema: Schema; document: any; name: string; value: any; onValue: (value: any) => void; label: string; known: Record<string, any> }

// Any JSON, as text; kept as typed while it cannot be read.
function JsonInput({ value, onValue, label }: { value: any; onValue: (value: any) => void; label: string }) {
  const [text, setText] = useState(value === undefined ? '' : jsonText(value));
  const [bad, setBad] = useState(false);
  return <textarea aria-label={label} aria-invalid={bad} class="mono" rows={3} spellcheck={false} placeholder="JSON" value={text} onInput={(event) => {
    const now = event.currentTarget.value;
    setText(now);
    try { onValue(now.trim() ? readJson(now) : undefined); setBad(false); } catch { setBad(true); }
  }} />;
}

export function ValueInput({ schema, document, name, value, onValue, label, known }: Props) {
  const [here] = unwrap(schema, document);
  if (here.enum) return <Select label={label} value={value === undefined ? '' : String(value)} options={[['', '–'], ...here.enum.map((choice: any): [string, string] => [String(choice), String(choice)])]} onPick={(text) => onValue(text === '' ? undefined : here.enum.find((choice: any) => String(choice) === text))} />;
  switch (here.type) {
    case 'boolean': return <Select label={label} value={value === undefined ? '' : String(value)} options={[['', '–'], 'true', 'false']} onPick={(text) => onValue(text === '' ? undefined : text === 'true')} />;
    case 'integer': case 'number': return <Input label={label} mono inputMode="decimal" value={value instanceof Num ? value.text : value ?? ''} onText={(text) => onValue(text === '' ? undefined : new Num(text))} placeholder={here.default !== undefined ? String(here.default) : ''} />;
    case 'string':
      return (here.maxLength ?? 0) > 400 || String(value ?? '').length > 80
        ? <textarea aria-label={label} rows={3} value={value ?? ''} spellcheck={false} onInput={(event) => onValue(event.currentTarget.value === '' ? undefined : event.currentTarget.value)} />
        : <Input label={label} mono value={value ?? ''} onText={(text) => onValue(text === '' ? undefined : text)} placeholder={here.default !== undefined ? String(here.default) : ''} />;
    case 'array': {
      const list: any[] = Array.isArray(value) ? value : [];
      return (
        <div class="rows inner">
          {list.map((element, i) => (
            <div class="line" key={i}><span class="number">{i}</span><div class="grow"><ValueInput schema={here.items} document={document} name={name} value={element} label={`${label} ${i + 1}`} known={known} onValue={(next) => onValue(list.map((each, n) => (n === i ? next ?? '' : each)))} /></div>
              <Button small kind="quiet" title={`Remove ${label} ${i + 1}`} onClick={() => { const rest = list.filter((_, n) => n !== i); onValue(rest.length ? rest : undefined); }}>✕</Button></div>
          ))}
          <Button small kind="quiet" title={'Add to ' + label} onClick={() => onValue([...list, sample(here.items, document, name.replace(/s$/, ''), known, 1)])}>+ Row</Button>
        </div>
      );
    }
    case 'object': {
      const object = value && typeof value === 'object' && !(value instanceof Num) ? value : {};
      if (here.properties) {
        if (value === undefined) return <Button small kind="quiet" title={'Fill in ' + label} onClick={() => onValue(sample(schema, document, name, known, 1))}>+ {name}</Button>;
        return <div class="rows inner"><Fields schema={here} document={document} value={object} onValue={onValue} known={known} prefix={label + ' '} />
          <Button small kind="quiet" title={'Leave out ' + label} onClick={() => onValue(undefined)}>Leave out</Button></div>;
      }
      if (here.additionalProperties && typeof here.additionalProperties === 'object') {
        const entries = Object.entries(object);
        const rename = (at: number, key: string) => onValue(Object.fromEntries(entries.map(([old, entry], n) => [n === at ? key : old, entry])));
        return (
          <div class="rows inner">
            {entries.map(([key, entry], i) => (
              <div class="line" key={i}><Input label={`${label} name ${i + 1}`} class="attribute" mono value={key} onText={(text) => rename(i, text)} />
                <div class="grow"><ValueInput schema={here.additionalProperties} document={document} name={key} value={entry} label={`${label} value ${i + 1}`} known={known} onValue={(next) => onValue({ ...object, [key]: next ?? '' })} /></div>
                <Button small kind="quiet" title={`Remove ${key}`} onClick={() => onValue(Object.fromEntries(entries.filter((_, n) => n !== i)))}>✕</Button></div>
            ))}
            <Button small kind="quiet" title={'Add to ' + label} onClick={() => onValue({ ...object, ['key' + (entries.length || '')]: sample(here.additionalProperties, document, 'key', known, 1) })}>+ Pair</Button>
          </div>
        );
      }
      return <JsonInput value={value} onValue={onValue} label={label} />;
    }
    default: return <JsonInput value={value} onValue={onValue} label={label} />;
  }
}

export function Fields({ schema, document, value, onValue, known, prefix = '', faults = {} }: { schema: Schema; document: any; value: any; onValue: (value: any) => void; known: Record<string, any>; prefix?: string; faults?: Record<string, string> }) {
  const here = resolve(schema, document);
  const required = new Set(here.required ?? []);
  return <>
    {Object.entries(here.properties ?? {}).map(([name, entry]) => {
      const [, nullable] = unwrap(entry, document);
      return (
        <div class="input" key={name} data-field={prefix + name}>
          <div class="name"><code>{name}</code>{required.has(name) && <span class="must" title="needed"> *</span>}<span class="hint">{typeText(unwrap(entry, document)[0], document)}</span></div>
          {value?.[name] === null ? <span class="quiet">null</span> : <ValueInput schema={entry as Schema} document={document} name={name} value={value?.[name]} label={prefix + name} known={known} onValue={(next) => onValue({ ...value, [name]: next })} />}
          {nullable && <label class="inline"><input type="checkbox" checked={value?.[name] === null} onChange={(event) => onValue({ ...value, [name]: event.currentTarget.checked ? null : undefined })} /> null: remove it</label>}
          {faults[name] && <p class="fault" role="alert">{faults[name]}</p>}
        </div>
      );
    })}
  </>;
}
