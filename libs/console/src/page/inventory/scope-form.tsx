import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Scope } from '../api/wire-types.ts';
import { TextField } from '../parts/fields.tsx';

interface Given {
  readonly isBusy: boolean;
  readonly label: string;
  readonly onScope: (scope: Scope) => void;
  /** Further fields of the form. */
  readonly children?: ComponentChildren;
}

/** Which inventory. */
export function ScopeForm({ isBusy, label, onScope, children }: Given) {
  const [platformId, setPlatformId] = useState('');
  const [appId, setAppId] = useState('730');
  const [contextId, setContextId] = useState('2');
  const number = { required: true, type: 'number', min: 1 } as const;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const scope = { app_id: Number(appId), context_id: Number(contextId) };
        onScope({ platform_id: platformId, ...scope });
      }}
    >
      <div class="grow">
        <TextField
          label="Platform id"
          hint="17 digits"
          required
          inputMode="numeric"
          pattern="[0-9]{17}"
          autocomplete="off"
          value={platformId}
          onValue={(value) => setPlatformId(value.trim())}
        />
      </div>
      <TextField {...number} label="Application" hint="app_id" value={appId} onValue={setAppId} />
      <TextField
        {...number}
        label="Context"
        hint="context_id"
        value={contextId}
        onValue={setContextId}
      />
      {children}
      <button type="submit" class="primary" disabled={isBusy}>
        {label}
      </button>
    </form>
  );
}
