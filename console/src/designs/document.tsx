// A design's document (map, entities, access patterns, aggregate view, cost, findings) inside the console. It comes from the
// server as a page of its own; here it is shown in a shadow root under its own style sheet, and its map answers the mouse.
import { useEffect, useRef } from 'preact/hooks';
import { dark, go } from '../state';
import { hueOf, runAtOnce, type Description } from './designs';

const extra = `
:host { display: block; }
nav, footer, header#top .kicker, header#top h1, header#top .lead { display: none; }
.page { display: block; max-width: none; background: transparent; }
main { padding: 0 0 60px; } section { margin-top: 44px; } section:first-of-type { margin-top: 28px; }
.attrs .ix { opacity: 1; }
[data-operation] { cursor: pointer; } text[data-operation]:hover, text[data-operation]:focus { font-weight: 700; outline: none; text-decoration: underline; }
.lit .link { opacity: 0.08; } .lit .link.on { opacity: 1; stroke-width: 3; } .lit text[data-operation]:not(.on) { opacity: 0.35; }
.items.lit tr.e { opacity: 0.3; } .items.lit tr.e.on { opacity: 1; }
`;

function styleOf(text: string, isDark: boolean): string {
  // The page follows the reader's system; the console has a switch of its own.
  const media = /@media \(prefers-color-scheme: dark\) \{ :root \{([^}]*)\} \}/.exec(text)?.[1] ?? '';
  return text.replace(/@media \(prefers-color-scheme: dark\) \{ :root \{[^}]*\} \}/, isDark ? `:host {${media}}` : '')
    .replace(/:root/g, ':host').replace(/\bhtml \{[^}]*\}/g, '').replace(/\bbody \{/g, '.page {') + extra;
}

export function DesignDocument({ description, design }: { description: Description; design: string }) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = holder.current!.shadowRoot ?? holder.current!.attachShadow({ mode: 'open' });
    // The console's policy allows no style in markup, and parsing obeys it: the sheet is adopted, attributes become properties.
    const style = /<style>([^]*?)<\/style>/.exec(description.document);
    const markup = description.document.replace(style?.[0] ?? '', '').replace(/ style="([^"]*)"/g, ' data-style="$1"');
    const page = new DOMParser().parseFromString(markup, 'text/html');
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styleOf(style?.[1] ?? '', dark.value));
    root.adoptedStyleSheets = [sheet];
    const content = page.querySelector('.page');
    if (!content) { root.replaceChildren(); return; }
    root.replaceChildren(document.importNode(content, true));
    for (const element of root.querySelectorAll<HTMLElement>('[data-style]')) element.style.cssText = element.dataset.style!;
    for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')) {
      link.addEventListener('click', (event) => { event.preventDefault(); root.getElementById(link.getAttribute('href')!.slice(1))?.scrollIntoView({ behavior: 'smooth' }); });
    }
    const svg = root.querySelector<SVGElement>('.diagram svg');
    const open = (name: string) => {
      if (!description.operations.find((operation) => operation.name === name)?.write) runAtOnce.value = name;
      go('designs', design, 'run', name);
    };
    const light = (name: string | null) => {
      svg?.classList.toggle('lit', name !== null);
      for (const entry of root.querySelectorAll('.on')) entry.classList.remove('on');
      const tables = root.querySelectorAll('.items');
      for (const table of tables) table.classList.toggle('lit', name !== null);
      if (name === null) return;
      const ways = new Set<string>();
      for (const entry of root.querySelectorAll(`[data-operation="${CSS.escape(name)}"]`)) {
        entry.classList.add('on');
        if (entry.getAttribute('data-way')) ways.add(entry.getAttribute('data-way')!);
      }
      for (const entry of root.querySelectorAll('path[data-way]:not([data-operation])')) if (ways.has(entry.getAttribute('data-way')!)) entry.classList.add('on');
      const hues = new Set((description.operations.find((operation) => operation.name === name)?.entities ?? []).map((entity) => String(hueOf(description.entities.findIndex((entry) => entry.name === entity), description.entities.length))));
      for (const row of root.querySelectorAll<HTMLElement>('.items tr.e, .items tr')) {
        const hue = row.style.getPropertyValue('--h') || row.querySelector<HTMLElement>('[data-style*="--h"]')?.style.getPropertyValue('--h');
        if (hue && hues.has(hue.trim())) row.classList.add('on');
      }
    };
    for (const text of root.querySelectorAll<SVGTextElement>('text[data-operation]')) {
      const name = text.getAttribute('data-operation')!;
      text.setAttribute('tabindex', '0');
      text.setAttribute('role', 'link');
      text.setAttribute('aria-label', 'Run ' + name);
      text.addEventListener('mouseenter', () => light(name));
      text.addEventListener('mouseleave', () => light(null));
      text.addEventListener('focus', () => light(name));
      text.addEventListener('blur', () => light(null));
      text.addEventListener('click', () => open(name));
      text.addEventListener('keydown', (event) => { if (event.key === 'Enter') open(name); });
    }
    svg?.removeAttribute('role');
  }, [description, dark.value]);
  return <div class="document" ref={holder} />;
}
