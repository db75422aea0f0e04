// The console: a list of tables and designs at the side, a page, and the last request below it.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { accessKey, address, attempt, database, facts, messages, nextTheme, place, signInShown, theme, type Facts } from './state';
import { descriptions, loadTables, tableNames } from './tables';
import { designs, loadDesigns } from './designs/designs';
import { RequestPanel } from './ui/request_panel';
import { Palette, paletteShown } from './ui/palette';
import { SignIn } from './ui/sign_in';
import { countText } from './ui/parts';
import { HomePage } from './data/home_page';
import { TablePage } from './data/table_page';
import { PartiqlPage } from './data/partiql_page';
import { DesignPage } from './designs/design_page';
import { BackupsPage } from './data/backups_page';

function Side({ onPick }: { onPick: () => void }) {
  const [wanted, setWanted] = useState('');
  const [kind, name] = place.value;
  const fits = (text: string) => text.toLowerCase().includes(wanted.toLowerCase());
  const tables = (tableNames.value ?? []).filter(fits);
  const keys = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('input, a')];
    all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement as HTMLElement) + step))]?.focus();
  };
  const link = (to: string, current: boolean, label: any) => <a href={to} aria-current={current ? 'page' : undefined} onClick={onPick}>{label}</a>;
  return (
    <nav class="side" aria-label="Tables and designs" onKeyDown={keys}>
      <input id="find" type="search" placeholder="Find a table or design   /" aria-label="Find a table or design" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
      <h2>Tables <span>{tableNames.value?.length}</span></h2>
      <ul>
        {tables.slice(0, 300).map((table) => (
          <li key={table}>{link(address('tables', table), kind === 'tables' && name === table, <><span class="name">{table}</span><span class="count">{countText(descriptions.value[table]?.ItemCount)}</span></>)}</li>
        ))}
        {tableNames.value?.length === 0 && <li class="quiet">There are none yet.</li>}
      </ul>
      {facts.value.designs && <>
        <h2>Designs <span>{designs.value?.length}</span></h2>
        <ul>{(designs.value ?? []).filter((design) => fits(design.name)).map((design) => <li key={design.name}>{link(address('designs', design.name), kind === 'designs' && name === design.name, <><span class="name">{design.name}</span><span class="count">{design.operations}</span></>)}</li>)}</ul>
      </>}
      <h2>Tools</h2>
      <ul>
        <li>{link(address('partiql'), kind === 'partiql', <span class="name">PartiQL</span>)}</li>
        <li>{link(address('backups'), kind === 'backups', <span class="name">Backups, exports, imports</span>)}</li>
        <li>{link(address(), kind === undefined, <span class="name">Server</span>)}</li>
      </ul>
    </nav>
  );
}

function Page() {
  const [kind, name, tab, more] = place.value;
  switch (kind) {
    case 'tables': return name ? <TablePage key={name} name={name} tab={tab ?? 'items'} /> : <HomePage />;
    case 'designs': return <DesignPage key={name} name={name} tab={tab ?? 'design'} operation={more} />;
    case 'partiql': return <PartiqlPage />;
    case 'backups': return <BackupsPage />;
    default: return <HomePage />;
  }
}

function App() {
  const [menu, setMenu] = useState(false);
  useEffect(() => { setMenu(false); document.querySelector('main')?.scrollTo(0, 0); }, [place.value]);
  useEffect(() => { if (!facts.value.signs || accessKey.value) attempt(loadTables); }, [accessKey.value, database.value]);
  const [kind, name] = place.value;
  useEffect(() => { document.title = (name ?? { partiql: 'PartiQL', backups: 'Backups' }[kind ?? ''] ?? 'Server') + ' · Trestle'; }, [kind, name]);
  return <>
    <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>('main')?.focus(); }}>Skip to the page</a>
    <header class="top">
      <button type="button" class="button quiet menu-button" aria-label="Tables and designs" aria-expanded={menu} onClick={() => setMenu(!menu)}>☰</button>
      <a class="brand" href="#/"><img src="icon.svg" alt="" width="24" height="24" /> Trestle</a>
      <span class="grow" />
      {facts.value.browses && <select aria-label="Database" value={database.value} onChange={(event) => { database.value = event.currentTarget.value as any; }}>
        <option value="on">{facts.value.on}</option><option value="embedded">This server’s store</option>
      </select>}
      <button type="button" class="button quiet" onClick={() => { paletteShown.value = true; }} title="Go to a page or run a command">Go to <kbd aria-hidden="true">Ctrl K</kbd></button>
      {facts.value.signs && <button type="button" class="button" onClick={() => { signInShown.value = true; }}>{accessKey.value ? accessKey.value.id : 'Sign in'}</button>}
      <button type="button" class="button quiet" onClick={nextTheme} aria-label={'Theme: ' + theme.value} title={'Theme: ' + theme.value}>{{ system: '◐', light: '☀', dark: '☾' }[theme.value]}</button>
    </header>
    <div class={'columns' + (menu ? ' menu-open' : '')}>
      <Side onPick={() => setMenu(false)} />
      <div class="middle">
        <main id="main" tabIndex={-1}><Page /></main>
        <RequestPanel />
      </div>
    </div>
    {signInShown.value && <SignIn />}
    {paletteShown.value && <Palette />}
    <div class="messages" role="status" aria-live="polite">{messages.value.map((message) => <div key={message.id} class={'message ' + message.kind}>{message.text}</div>)}</div>
  </>;
}

document.addEventListener('keydown', (event) => {
  const target = event.composedPath()[0] as HTMLElement;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
  if (event.key === 'k' && (event.ctrlKey || event.metaKey)) { paletteShown.value = true; event.preventDefault(); }
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) { document.getElementById('find')?.focus(); event.preventDefault(); }
});

async function start() {
  const reply = await fetch('server.json');
  if (reply.ok) facts.value = (await reply.json()) as Facts;
  if (facts.value.browses) database.value = 'on';
  if (facts.value.signs) signInShown.value = true;
  const root = document.getElementById('app')!;
  root.replaceChildren();
  render(<App />, root);
  if (facts.value.designs) attempt(loadDesigns);
}
start();
