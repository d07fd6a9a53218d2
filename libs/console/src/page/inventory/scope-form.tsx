import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Scope } from '../api/wire-types.ts';
import { Field } from '../parts/panel.tsx';

const platformIdPattern = '[0-9]{17}';

/** Which inventory. Looking is free. */
export function ScopeForm({
  isBusy,
  label,
  onScope,
  children,
}: {
  isBusy: boolean;
  label: string;
  /** Further fields of the form. */
  children?: ComponentChildren;
  onScope: (scope: Scope) => void;
}) {
  const [platformId, setPlatformId] = useState('');
  const [appId, setAppId] = useState('730');
  const [contextId, setContextId] = useState('2');
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const scope = { app_id: Number(appId), context_id: Number(contextId) };
        onScope({ platform_id: platformId.trim(), ...scope });
      }}
    >
      <div class="grow">
        <Field label="Platform id" hint="17 digits">
          {(ids) => (
            <input
              {...ids}
              required
              inputMode="numeric"
              pattern={platformIdPattern}
              autocomplete="off"
              value={platformId}
              onInput={({ currentTarget }) => setPlatformId(currentTarget.value.trim())}
            />
          )}
        </Field>
      </div>
      <Field label="Application" hint="app_id">
        {(ids) => (
          <input
            {...ids}
            required
            type="number"
            min={1}
            value={appId}
            onInput={({ currentTarget }) => setAppId(currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Context" hint="context_id">
        {(ids) => (
          <input
            {...ids}
            required
            type="number"
            min={1}
            value={contextId}
            onInput={({ currentTarget }) => setContextId(currentTarget.value)}
          />
        )}
      </Field>
      {children}
      <button type="submit" class="primary" disabled={isBusy}>
        {label}
      </button>
    </form>
  );
}
