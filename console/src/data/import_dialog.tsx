// A file of items is put into a table, with progress.
import { useRef, useState } from 'preact/hooks';
import { tell } from '../state';
import type { Item } from '../values';
import { Button, Dialog, countText, plural } from '../ui/parts';
import { putAll, readItems, type Progress } from './files';

export function ImportDialog({ table, onClose, onDone }: { table: any; onClose: () => void; onDone: () => void }) {
  const [items, setItems] = useState<Item[] | null>(null);
  const [fault, setFault] = useState('');
  const [progress, setProgress] = useState<Progress | null>(null);
  const abort = useRef(new AbortController());
  const keyTypes = Object.fromEntries(table.AttributeDefinitions.map((definition: any) => [definition.AttributeName, definition.AttributeType]));
  const read = async (file?: File) => {
    if (!file) return;
    setFault('');
    try { setItems(readItems(await file.text(), file.name, keyTypes)); } catch (error: any) { setItems(null); setFault(error.message); }
  };
  const put = async () => {
    setFault('');
    setProgress({ done: 0, of: items!.length });
    try {
      await putAll(table.TableName, items!, setProgress, abort.current.signal);
      tell(`${plural(items!.length, 'item')} imported`);
      onDone();
    } catch (error: any) {
      setFault(error.message);
      setProgress(null);
    }
  };
  return (
    <Dialog title={'Import into ' + table.TableName} onClose={() => { abort.current.abort(); onClose(); }}>
      <div class="body">
        <p>CSV with names in the first line, JSON (a list, or an object per line), or DynamoDB JSON as exports have it. An item with the same key is replaced.</p>
        <label class="drop" onDragOver={(event) => event.preventDefault()} onDrop={(event) => { event.preventDefault(); read(event.dataTransfer?.files[0]); }}>
          <input type="file" aria-label="File to import" accept=".csv,.json,.jsonl,.ndjson,.txt" onChange={(event) => read(event.currentTarget.files?.[0])} />
          {items ? <b>{plural(items.length, 'item')} found</b> : 'Choose a file or drop it here'}
        </label>
        {progress && <p class="progress"><progress value={progress.done} max={progress.of} aria-label="Importing" /> {countText(progress.done)} of {countText(progress.of)}</p>}
        {fault && <p class="fault" role="alert">{fault}</p>}
      </div>
      <footer>
        <Button onClick={() => { abort.current.abort(); onClose(); }}>Cancel</Button>
        <Button kind="main" disabled={!items?.length || progress !== null} onClick={put}>Import{items ? ' ' + plural(items.length, 'item') : ''}</Button>
      </footer>
    </Dialog>
  );
}
