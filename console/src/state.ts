// What the whole console shares: the server's facts, the caller's keys (in memory only), the theme, the place, messages.
import { signal, computed, effect } from '@preact/signals';
import type { AccessKey } from './sigv4';

export interface Facts {
  version: string; region: string; signs: boolean; metrics: boolean; insights: boolean; designs: boolean; edits: boolean; browses: boolean; on: string;
}
export const facts = signal<Facts>({ version: '', region: 'us-east-1', signs: false, metrics: false, insights: false, designs: false, edits: false, browses: false, on: '' });
export const accessKey = signal<AccessKey | null>(null);
export const signInShown = signal(false);

// With `--browse-on`, which database the data pages show: the server's own or the endpoint that the designs run on.
export const database = signal<'embedded' | 'on'>('embedded');

// ---- Theme

export const theme = signal<'system' | 'light' | 'dark'>((localStorage.getItem('trestle-theme') as any) || 'system');
const systemDark = signal(matchMedia('(prefers-color-scheme: dark)').matches);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => { systemDark.value = event.matches; });
export const dark = computed(() => (theme.value === 'system' ? systemDark.value : theme.value === 'dark'));
effect(() => { document.documentElement.dataset.theme = dark.value ? 'dark' : 'light'; });
export function nextTheme(): void {
  const all = ['system', 'light', 'dark'] as const;
  theme.value = all[(all.indexOf(theme.value) + 1) % all.length];
  localStorage.setItem('trestle-theme', theme.value);
}

// ---- Place: #/tables/music/items -> ['tables', 'music', 'items']

const readPlace = () => location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
// The explorer's old addresses: /designs/<design>/#<operation> redirect here with the design as a parameter.
const oldDesign = new URLSearchParams(location.search).get('design');
if (oldDesign !== null) {
  const operation = location.hash.replace(/^#\/?/, '');
  history.replaceState(null, '', location.pathname + '#/designs/' + encodeURIComponent(oldDesign) + (operation ? '/run/' + operation : ''));
}
export const place = signal(readPlace());
addEventListener('hashchange', () => { place.value = readPlace(); });
export const address = (...parts: string[]) => '#/' + parts.map(encodeURIComponent).join('/');
export function go(...parts: string[]): void { location.hash = address(...parts); }

// ---- Messages

export interface Message { id: number; kind: 'good' | 'bad' | 'plain'; text: string }
export const messages = signal<Message[]>([]);
let lastMessage = 0;
export function tell(text: string, kind: Message['kind'] = 'good'): void {
  const message = { id: ++lastMessage, kind, text };
  messages.value = [...messages.value.slice(-3), message];
  setTimeout(() => { messages.value = messages.value.filter((entry) => entry !== message); }, kind === 'bad' ? 9000 : 4000);
}
// Runs what may fail; a failure is shown and undefined returned.
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error: any) {
    tell(error.message ?? String(error), 'bad');
    return undefined;
  }
}

// For idempotent requests. Browsers have randomUUID only on HTTPS and on the machine itself.
export const newToken = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
