// What a design does by itself: tallies, reactions, cascades; how far behind it is; dead letters, to be tried again.
import { useEffect, useState } from 'preact/hooks';
import { attempt, tell } from '../state';
import { Button, Empty, Json, countText } from '../ui/parts';
import { readDesign } from './designs';

const figures: [string, string][] = [['records_applied', 'stream records applied'], ['tally_writes', 'tally writes'], ['tally_lag_ms', 'ms tallies are behind'], ['reaction_lag_ms', 'ms reactions are behind'], ['reactions_sent', 'events sent'],
  ['reactions_under_way', 'events under way'], ['reaction_retries', 'retries'], ['dead_letters', 'dead letters'], ['open_cascades', 'open cascades'], ['cascades_resumed', 'cascades resumed'], ['blobs_swept', 'blobs swept'], ['stream_gaps', 'stream gaps'], ['failures', 'failed rounds']];

export function Background({ design }: { design: string }) {
  const [status, setStatus] = useState<any>(null);
  const [fault, setFault] = useState('');
  const path = `/designs/${encodeURIComponent(design)}`;
  const load = () => readDesign(path + '/status?dead').then((entry) => { setStatus(entry); setFault(''); }, (error) => setFault(error.message));
  useEffect(() => { load(); const timer = setInterval(load, 2000); return () => clearInterval(timer); }, [design]);
  const retry = (id?: string) => attempt(async () => {
    const reply = await readDesign(path + '/retry' + (id ? '?id=' + encodeURIComponent(id) : ''), { method: 'POST' });
    tell(`${reply.asked} will be tried again`);
    await load();
  });
  if (!status) return <Empty>{fault || 'Reading…'}</Empty>;
  const letters = status.letters ?? [];
  return (
    <div class="background">
      {fault && <p class="fault" role="alert">{fault}</p>}
      <p class="quiet">{status.working ? 'This server does the design’s background work.' : 'Another server does the design’s background work.'}{status.waits_for?.length > 0 && <> Reactions wait for <code>--endpoint {status.waits_for.join(', ')}=URL</code>.</>}</p>
      <div class="figures">{figures.map(([name, label]) => <div key={name} class={/dead|failures|gaps/.test(name) && status[name] > 0 ? 'bad' : ''}><b>{countText(status[name] ?? 0)}</b><span>{label}</span></div>)}</div>
      <section class="panel"><div class="bar pad"><h2>Dead letters</h2><span class="grow" /><Button small disabled={!letters.length} onClick={() => retry()}>Try all again</Button></div>
        {letters.length ? <ol class="letters">{letters.map((letter: any) => <li key={letter.id}><div class="bar"><b>{letter.reaction ?? letter.id}</b><span class="quiet">{letter.error ?? letter.reason}</span><span class="grow" /><Button small onClick={() => retry(letter.id)}>Try again</Button></div><Json text={JSON.stringify(letter, null, 2)} /></li>)}</ol> : <Empty>There are none.</Empty>}
      </section>
    </div>
  );
}
