// One design: its document, the runner, the editor, and its background work.
import { useEffect, useState } from 'preact/hooks';
import { go, tell } from '../state';
import { Empty, Tabs, plural } from '../ui/parts';
import { descriptions, loadDescription } from './designs';
import { DesignDocument } from './document';
import { Runner } from './runner';
import { DesignEditor } from './design_editor';
import { Background } from './background';

export function DesignPage({ name, tab, operation }: { name: string; tab: string; operation?: string }) {
  const [fault, setFault] = useState('');
  useEffect(() => { if (name && !descriptions.value[name]) loadDescription(name).catch((error) => { setFault(error.message); tell(error.message, 'bad'); }); }, [name]);
  const description = descriptions.value[name];
  if (!name) return <div class="page"><Empty>Pick a design at the side.</Empty></div>;
  return (
    <div class="page design-page">
      <header class="title"><div><h1>{name}</h1><p class="quiet">{description ? <>{description.about} · version {description.version} · {plural(description.entities.length, 'entity', 'entities')}, {plural(description.operations.length, 'operation')}, {plural(description.report.warnings, 'warning')}</> : fault || 'Reading…'}</p></div></header>
      <Tabs label="Design" tabs={[['design', 'Design'], ['run', 'Run'], ['edit', 'Edit'], ['background', 'Background']]} current={tab} onPick={(id) => go('designs', name, id)} />
      {tab === 'run' ? <Runner design={name} operation={operation} description={description} />
        : tab === 'background' ? <Background design={name} />
        : !description ? <Empty>{fault || 'Reading…'}</Empty>
        : tab === 'edit' ? <DesignEditor design={name} description={description} />
        : <DesignDocument description={description} design={name} />}
    </div>
  );
}
