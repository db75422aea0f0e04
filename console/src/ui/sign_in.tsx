// Signing in with an access key. It is held in memory only: a reload forgets it.
import { useState } from 'preact/hooks';
import { accessKey, facts, signInShown, tell } from '../state';
import { call } from '../dynamo';
import { Button, Dialog, Field, Input } from './parts';

export function SignIn() {
  const [id, setId] = useState(accessKey.value?.id ?? '');
  const [secret, setSecret] = useState('');
  const [token, setToken] = useState('');
  const [fault, setFault] = useState('');
  const close = () => { signInShown.value = false; };
  const enter = async () => {
    setFault('');
    const old = accessKey.value;
    accessKey.value = { id: id.trim(), secret: secret.trim(), ...(token.trim() ? { token: token.trim() } : {}) };
    try {
      await call('DescribeEndpoints', {}, { quiet: true });
    } catch (error: any) {
      // Policies may forbid even this; a wrong key or signature is another matter.
      if (error.kind !== 'AccessDeniedException') {
        accessKey.value = old;
        setFault(error.message);
        return;
      }
    }
    tell('Signed in as ' + id.trim());
    close();
  };
  return (
    <Dialog title="Sign in" onClose={close}>
      <form class="body" onSubmit={(event) => { event.preventDefault(); enter(); }}>
        <p>This server verifies signatures. The key stays in this page’s memory and signs each request; a reload forgets it.</p>
        <Field label="Access key ID" wide><Input label="Access key ID" mono value={id} onText={setId} /></Field>
        <Field label="Secret access key" wide><Input label="Secret access key" mono type="password" value={secret} onText={setSecret} /></Field>
        <Field label="Session token" hint="for temporary keys" wide><Input label="Session token" mono type="password" value={token} onText={setToken} /></Field>
        <p class="quiet">Region {facts.value.region}</p>
        {fault && <p class="fault" role="alert">{fault}</p>}
        <footer>
          {accessKey.value && <Button onClick={() => { accessKey.value = null; close(); }}>Sign out</Button>}
          <span class="grow" />
          <button type="submit" class="button main" disabled={!id || !secret}>Sign in</button>
        </footer>
      </form>
    </Dialog>
  );
}
