import { useEffect, useState } from 'preact/hooks';
import type { Api } from './api/call-api.ts';
import type { Account } from './api/wire-types.ts';
import { TextField } from './parts/fields.tsx';
import { FailureNotice } from './parts/notices.tsx';
import { useAction } from './parts/use-reading.ts';
import type { PageSettings } from './session.tsx';

interface SignedIn {
  readonly key: string;
  readonly isRemembered: boolean;
  readonly api: Api;
  readonly account: Account;
}

export function SignIn({
  openApi,
  remembered,
  settings,
  onSignIn,
}: {
  openApi: (key: string) => Api;
  remembered: string | null;
  settings: PageSettings;
  onSignIn: (signedIn: SignedIn) => void;
}) {
  const { failure, isBusy, run } = useAction();
  const [key, setKey] = useState('');
  const [isRemembered, setIsRemembered] = useState(remembered !== null);
  const open = (given: string) =>
    run(async () => {
      const api = openApi(given);
      const { data: account } = await api.call<Account>({ path: '/v2/account' });
      onSignIn({ key: given, isRemembered, api, account });
    });
  // By its dependencies: once, with the key of an earlier load.
  useEffect(() => {
    if (remembered !== null) void open(remembered);
  }, []);
  return (
    <main class="sign-in">
      <h1>Game Item Inventory Service</h1>
      <p class="muted">
        Look at inventories, refreshes and what they cost. This page calls the public API with your
        key, and nothing else.
      </p>
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          void open(key.trim());
        }}
      >
        <TextField
          label="API key"
          hint="It stays in the memory of this tab, and is sent to this origin alone."
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          autofocus
          placeholder="inv_…"
          value={key}
          onValue={setKey}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isRemembered}
            onChange={({ currentTarget }) => setIsRemembered(currentTarget.checked)}
          />
          Remember in this tab, until it is closed
        </label>
        <button type="submit" class="primary wide" disabled={isBusy}>
          {isBusy ? 'Opening…' : 'Open the console'}
        </button>
        {failure && <FailureNotice failure={failure} />}
      </form>
      <p class="small">
        {settings.has_reference && (
          <>
            <a href="/docs">API reference</a> ·{' '}
          </>
        )}
        <a href="/status">Status of the service</a>
      </p>
    </main>
  );
}
