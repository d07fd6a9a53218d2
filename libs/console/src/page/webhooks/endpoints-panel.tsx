import { useEffect, useState } from 'preact/hooks';
import type { Delivery, ListedEndpoint } from '../api/wire-types.ts';
import { formatTime, formatWord } from '../format.ts';
import { TextField } from '../parts/fields.tsx';
import { Empty, FailureNotice, Read, Tag } from '../parts/notices.tsx';
import { ConfirmButton, Panel, ShownOnce, Table } from '../parts/panel.tsx';
import { useAction, useKeyedAction, useReading } from '../parts/use-reading.ts';
import { useSession } from '../session.tsx';

/** Between reads of the deliveries: a pending one is about to end. */
const soonMs = 4_000;
const laterMs = 30_000;
const types = ['inventory.refresh.completed', 'inventory.watch.paused', 'account.balance.low'];

export function EndpointsPanel() {
  const { operations, environment } = useSession();
  const endpoints = useReading(
    async (signal) => (await operations.endpoints(signal)).data.items,
    [],
    environment.nowMs,
  );
  const [created, setCreated] = useState<{ what: string; secret: string } | null>(null);
  return (
    <Panel title="Webhooks">
      {created && <ShownOnce {...created} onDone={() => setCreated(null)} />}
      <Read reading={endpoints} what="the endpoints">
        {(items) =>
          items.length === 0 ? (
            <Empty>No endpoint receives events.</Empty>
          ) : (
            <ul class="cards">
              {items.map((endpoint) => (
                <EndpointCard
                  key={endpoint.endpoint_id}
                  endpoint={endpoint}
                  onChange={endpoints.reload}
                  onSecret={(secret) =>
                    setCreated({ what: `The new signing secret of ${endpoint.url}.`, secret })
                  }
                />
              ))}
            </ul>
          )
        }
      </Read>
      <NewEndpoint
        onCreated={(secret, url) => {
          setCreated({ what: `The signing secret of ${url}.`, secret });
          endpoints.reload();
        }}
      />
    </Panel>
  );
}

function NewEndpoint({ onCreated }: { onCreated: (secret: string, url: string) => void }) {
  const { operations, environment } = useSession();
  const [url, setUrl] = useState('');
  const { failure, isBusy, run } = useKeyedAction(environment.newKey);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run(async (key) => {
          const { data } = await operations.createEndpoint(url, types, key);
          onCreated(data.secret, data.url);
          setUrl('');
        });
      }}
    >
      <h3>Add an endpoint</h3>
      <div class="form">
        <div class="grow">
          <TextField
            label="Address"
            hint="It receives every type of event."
            type="url"
            required
            placeholder="https://"
            value={url}
            onValue={setUrl}
          />
        </div>
        <button type="submit" class="primary" disabled={isBusy}>
          Add
        </button>
      </div>
      {failure && <FailureNotice failure={failure} />}
    </form>
  );
}

function EndpointCard({
  endpoint,
  onChange,
  onSecret,
}: {
  endpoint: ListedEndpoint;
  onChange: () => void;
  onSecret: (secret: string) => void;
}) {
  const { operations, environment } = useSession();
  const { endpoint_id: id, state, disabled_reason: reason } = endpoint;
  const { failure, isBusy, run } = useAction();
  const [isWaiting, setIsWaiting] = useState(false);
  const deliveries = useReading(
    async (signal) => (await operations.deliveries(id, signal)).data.items,
    [id],
    environment.nowMs,
    isWaiting ? soonMs : laterMs,
  );
  const hasPending = deliveries.value?.some((one) => one.state === 'pending') ?? false;
  useEffect(() => setIsWaiting(hasPending), [hasPending]);
  const isEnabled = state === 'enabled';
  const act = (action: () => Promise<unknown>, reload: () => void) =>
    void run(async () => {
      await action();
      reload();
    });
  return (
    <li class="card">
      <div class="panel-head">
        <h3 class="id">{endpoint.url}</h3>
        <Tag tone={isEnabled ? 'good' : 'warn'}>
          {isEnabled ? 'Enabled' : `Disabled: ${reason ?? 'requested'}`}
        </Tag>
      </div>
      <div class="actions">
        <button
          type="button"
          disabled={isBusy || !isEnabled}
          onClick={() => act(() => operations.testEndpoint(id), deliveries.reload)}
        >
          Send a test
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            act(() => operations.changeEndpoint(id, isEnabled ? 'disabled' : 'enabled'), onChange)
          }
        >
          {isEnabled ? 'Disable' : 'Enable'}
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            act(
              async () =>
                onSecret((await operations.rotateSecret(id, environment.newKey())).data.secret),
              onChange,
            )
          }
        >
          Rotate the secret
        </button>
        <ConfirmButton
          label="Delete"
          confirm="Delete for good"
          isBusy={isBusy}
          onConfirm={() => act(() => operations.deleteEndpoint(id), onChange)}
        />
      </div>
      {failure && <FailureNotice failure={failure} />}
      <Read reading={deliveries} what="the deliveries">
        {(items) => (
          <DeliveryTable
            deliveries={items}
            isBusy={isBusy}
            onRedeliver={(eventId) =>
              act(() => operations.redeliver(id, eventId), deliveries.reload)
            }
          />
        )}
      </Read>
    </li>
  );
}

const tones = { pending: 'plain', delivered: 'good', failed: 'bad' } as const;

function DeliveryTable({
  deliveries,
  isBusy,
  onRedeliver,
}: {
  deliveries: readonly Delivery[];
  isBusy: boolean;
  onRedeliver: (eventId: string) => void;
}) {
  if (deliveries.length === 0) return <p class="small">No delivery yet.</p>;
  return (
    <Table
      caption="Deliveries, newest first"
      columns={['Created', 'Type', 'State', 'Last attempt', '']}
    >
      {deliveries.map((delivery) => (
        <tr key={delivery.event_id}>
          <td class="nowrap">{formatTime(delivery.created_at)}</td>
          <td>{delivery.type}</td>
          <td>
            <Tag tone={tones[delivery.state]}>{delivery.state}</Tag>
          </td>
          <td>{attemptText(delivery)}</td>
          <td>
            {delivery.state !== 'pending' && delivery.type !== 'webhook.ping' && (
              <div class="actions">
                <button
                  type="button"
                  disabled={isBusy}
                  onClick={() => onRedeliver(delivery.event_id)}
                >
                  Redeliver
                </button>
              </div>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function attemptText({ attempts, attempts_total: total, next_attempt_at: next }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return '–';
  const result = last.status ?? formatWord(last.error ?? '');
  const again = next === null ? '' : `; next ${formatTime(next)}`;
  return `${result} in ${last.duration_ms} ms, ${total} made${again}`;
}
