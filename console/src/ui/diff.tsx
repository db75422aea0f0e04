// Two images of an item side by side, attribute by attribute, what differs marked.
import { plainText, same, type Item } from '../values';

export function ItemDiff({ old, now }: { old?: Item; now?: Item }) {
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  return (
    <table class="diff">
      <thead><tr><th scope="col">Attribute</th><th scope="col">Old</th><th scope="col">New</th></tr></thead>
      <tbody>
        {names.map((name) => {
          const a = old?.[name], b = now?.[name];
          const kind = a && b ? (same(a, b) ? 'same' : 'changed') : a ? 'removed' : 'added';
          return (
            <tr key={name} class={kind}>
              <th scope="row">{name}</th>
              <td>{a && <span class={kind !== 'same' ? 'del' : ''}>{plainText(a)}</span>}</td>
              <td>{b && <span class={kind !== 'same' ? 'ins' : ''}>{plainText(b)}</span>}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
