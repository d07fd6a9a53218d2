import { useState } from 'preact/hooks';
import type { ListedKey, Permission } from '../api/wire-types.ts';
import { formatDay, formatTime } from '../format.ts';
import { TextField } from '../parts/fields.tsx';
import { FailureNotice, Read, Tag } from '../parts/notices.tsx';
import { ConfirmButton, Lacking, Panel, ShownOnce, Table } from '../parts/panel.tsx';
import { useAction, useKeyedAction, useReading } from '../parts/use-reading.ts';
import { allows, useSession } from '../session.tsx';
import { EndpointsPanel } from '../webhooks/endpoints-panel.tsx';

/** Keys of the Project and its webhook endpoints, each where the key may manage them. */
export function KeysRoom() {
  const { account } = useSession();
  return (
    <div class="stack">
      {allows(account, 'customer.credentials.manage.v1') ? (
        <KeysPanel />
      ) : (
        <Lacking title="Keys" permission="customer.credentials.manage.v1" />
      )}
      {allows(account, 'customer.webhooks.manage.v1') ? (
        <EndpointsPanel />
      ) : (
        <Lacking title="Webhooks" permission="customer.webhooks.manage.v1" />
      )}
    </div>
  );
}

function KeysPanel() {
  const { operations, environment, account } = useSession();
  const keys = useReading(
    async (signal) => (await operations.credentials(signal)).data,
    [],
    environment.nowMs,
  );
  const [issued, setIssued] = useState<{ what: string; secret: string } | null>(null);
  const { failure, isBusy, run } = useAction();
  const own = account.credential.credential_id;
  const rotate = ({ credential_id: id, name }: ListedKey) =>
    run(async () => {
      const { data } = await operations.rotateCredential(id, environment.newKey());
      const what = `The new secret of ${name ?? 'the key'}; the old one is valid for another hour.`;
      setIssued({ what, secret: data.secret });
      keys.reload();
    });
  const revoke = (id: string) =>
    run(async () => {
      await operations.revokeCredential(id);
      keys.reload();
    });
  return (
    <Panel title="Keys">
      {issued && <ShownOnce {...issued} onDone={() => setIssued(null)} />}
      {failure && <FailureNotice failure={failure} />}
      <Read reading={keys} what="the keys">
        {({ items, pagination }) => (
          <Table
            caption="Keys of the Project"
            columns={['Name', 'Key', 'State', 'May', 'Issued', '']}
          >
            {items.map((key) => (
              <tr key={key.credential_id}>
                <td>{key.name ?? '–'}</td>
                <td>
                  <code class="nowrap">…{key.public_id}…</code>
                </td>
                <td>
                  <Tag tone={key.state === 'active' ? 'good' : 'plain'}>{key.state}</Tag>
                  {key.credential_id === own && <span class="muted"> this one</span>}
                </td>
                <td title={key.scopes.join(', ')}>{key.scopes.length} permissions</td>
                <td class="nowrap">
                  {formatDay(key.created_at)}
                  {key.expires_at !== null && ` to ${formatTime(key.expires_at)}`}
                </td>
                <td>
                  {key.state === 'active' && key.credential_id !== own && (
                    <div class="actions">
                      <button type="button" disabled={isBusy} onClick={() => void rotate(key)}>
                        Rotate
                      </button>
                      <ConfirmButton
                        label="Revoke"
                        confirm="Revoke for good"
                        isBusy={isBusy}
                        onConfirm={() => void revoke(key.credential_id)}
                      />
                    </div>
                  )}
                </td>
              </tr>
            ))}
            {pagination.has_more && (
              <tr>
                <td colSpan={6}>The oldest {items.length} are shown.</td>
              </tr>
            )}
          </Table>
        )}
      </Read>
      <IssueForm
        onIssued={(secret, name) => {
          setIssued({ what: `The secret of ${name}.`, secret });
          keys.reload();
        }}
      />
    </Panel>
  );
}

function IssueForm({ onIssued }: { onIssued: (secret: string, name: string) => void }) {
  const { operations, environment, account } = useSession();
  const grantable = grantablePermissions.filter((one) => allows(account, one));
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Permission[]>(grantable);
  const { failure, isBusy, run } = useKeyedAction(environment.newKey);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run(async (key) => {
          const { data } = await operations.issueCredential(name, chosen, key);
          onIssued(data.secret, name);
          setName('');
        });
      }}
    >
      <h3>Issue a key</h3>
      <div class="form">
        <div class="grow">
          <TextField label="Name" required maxLength={200} value={name} onValue={setName} />
        </div>
        <button type="submit" class="primary" disabled={isBusy || chosen.length === 0}>
          Issue
        </button>
      </div>
      <fieldset>
        <legend>It may</legend>
        <div class="checks">
          {grantable.map((permission) => (
            <label key={permission} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(permission)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen((before) =>
                    checked
                      ? [...before, permission]
                      : before.filter((other) => other !== permission),
                  )
                }
              />
              <code>{permission}</code>
            </label>
          ))}
        </div>
      </fieldset>
      {failure && <FailureNotice failure={failure} />}
    </form>
  );
}

/** A key grants nothing that it lacks, and no permission to manage. */
const grantablePermissions: readonly Permission[] = [
  'platform.inventory.refresh.v1',
  'platform.inventory.current.page.v1',
  'platform.inventory.page.v1',
  'customer.events.read.v1',
  'customer.account.read.v1',
];
