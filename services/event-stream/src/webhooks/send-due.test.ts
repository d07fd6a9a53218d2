import { createKeyedSemaphore, createSemaphore } from '@inventory/runtime/semaphore';
import { newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { endpointWith } from '../../test/support/endpoints.ts';
import { newDeliveryRun } from './delivery-run.ts';
import type { AttemptReport } from './delivery-store.ts';
import { type EndpointHealth, healthy } from './endpoint-health.domain.ts';
import { changeEndpoint, type EndpointChange } from './manage-endpoints.ts';
import type { Webhooks } from './open-webhooks.ts';
import { sendDue } from './send-due.ts';
import { afterAttempt } from './webhook-delivery.domain.ts';
import type { DeliveryAttempt, WebhookDelivery, WebhookEndpoint } from './webhook-document.ts';

const nowMs = Date.UTC(2026, 10, 21);
const dayMs = 24 * 3_600_000;
const [oldUrl, newUrl] = ['https://example.com/old', 'https://example.com/new'];

type Result = Pick<DeliveryAttempt, 'status' | 'error'>;

/** One endpoint, and a request to it that is in flight until `respond` is called. */
function world(health: EndpointHealth) {
  const clock = createTestClock(nowMs);
  const secrets = [{ secret: 'whsec_AAAA', createdAtMs: 0, endsAtMs: null }];
  let endpoint = endpointWith({ url: oldUrl, secrets, health, pace: 'slow' });
  const recorded: AttemptReport[] = [];
  const response = Promise.withResolvers<Result>();
  const endpoints = {
    readEndpoint: async () => endpoint,
    findEndpoint: async () => endpoint,
    async update({ version }: WebhookEndpoint, fields: Partial<WebhookEndpoint>) {
      if (version !== endpoint.version) return false;
      endpoint = { ...endpoint, ...fields };
      return true;
    },
  };
  const webhooks = only<Webhooks>({
    endpoints: only<Webhooks['endpoints']>(endpoints),
    log: only({ readHead: async () => 0 }),
    wake: async () => {},
    allowPrivate: false,
    clock,
    logger: testLogger,
    deliveries: only({ recordAttempt: async (report) => void recorded.push(report) }),
    async attempt(_endpoint, delivery) {
      const { status, error } = await response.promise;
      const attempt = { atMs: nowMs, durationMs: 5, status, error, responseBody: null };
      const end = { isSuccess: error === null, atMs: nowMs, retryAfterMs: null, random: 0 };
      const progress = afterAttempt(delivery, end, { scheduleMs: [5_000], retryAfterMaxMs: 0 });
      return { delivery, attempt, progress };
    },
    health: {
      ...{ disableAfterMs: 5 * dayMs, silenceMaxMs: dayMs },
      ...{ pauseAfterFailures: 5, pauseFirstMs: 10_000, pauseMaxMs: 300_000 },
    },
    limits: {
      ...{ requestsMax: 1, requestsPerEndpointMax: 4, slowFromMs: 1_000 },
      ...{ claimMs: 60_000, runMs: 5_000, waitMaxMs: dayMs },
    },
    stopping: new AbortController().signal,
  });
  const capacity = {
    requests: createSemaphore(1),
    extraRequests: createKeyedSemaphore<string>({ perKeyMax: 1, totalMax: 1 }),
  };
  const run = newDeliveryRun(endpoint, nowMs);
  run.waiting.push(deliveryTo(endpoint));
  const { projectId, endpointId } = endpoint;

  return {
    ...{ recorded, respond: response.resolve },
    sent: sendDue(webhooks, capacity, run),
    endpoint: () => endpoint,
    change: (change: EndpointChange) => changeEndpoint(webhooks, { projectId, endpointId }, change),
  };
}

function deliveryTo({ endpointId, projectId }: WebhookEndpoint): WebhookDelivery {
  return {
    ...{ _id: 'one', endpointId, projectId, eventId: `evt_${newRefreshId()}`, orderKey: 'one' },
    ...{ type: 'inventory.refresh.completed', body: '{}', state: 'pending', failure: null },
    ...{ createdAtMs: nowMs, appendedAtMs: nowMs, nextAttemptAtMs: nowMs },
    ...{ failures: 0, attempts: [], attemptsTotal: 0 },
  };
}

const failingFor = (days: number): EndpointHealth => ({
  failures: 4,
  failingSinceMs: nowMs - days * dayMs,
  lastFailureMs: nowMs - 60_000,
  pausedUntilMs: nowMs - 1,
});

const results: [string, Result, EndpointHealth][] = [
  ['410', { status: 410, error: 'status' }, healthy],
  ['a fifth failure', { status: 500, error: 'status' }, failingFor(1)],
  ['a timeout after five days', { status: null, error: 'timeout' }, failingFor(6)],
  ['a success', { status: 204, error: null }, failingFor(1)],
];
const resets: [string, EndpointChange[]][] = [
  ['its URL is changed', [{ url: newUrl }]],
  ['its URL is changed and changed back', [{ url: newUrl }, { url: oldUrl }]],
  ['it is disabled and enabled', [{ state: 'disabled' }, { state: 'enabled' }]],
];

test.each(
  resets.flatMap(([reset, changes]) =>
    results.map(([name, result, before]) => ({ reset, changes, name, result, before })),
  ),
)(
  'while $reset, $name of a request in flight is recorded and changes no health (Events: webhooks) [webhooks-retries]',
  async ({ changes, result, before }) => {
    const { sent, respond, endpoint, recorded, change } = world(before);

    for (const one of changes) await change(one);
    const changed = endpoint();
    respond(result);
    await sent;

    expect(changed).toMatchObject({ state: 'enabled', health: healthy });
    expect(endpoint()).toEqual(changed);
    expect(recorded.map(({ attempt: { status, error } }) => ({ status, error }))).toEqual([result]);
  },
);

test.each<EndpointChange>([
  { description: 'other words' },
  { types: ['account.balance.low'] },
  { url: oldUrl },
])(
  'a change to %j keeps the failures of an endpoint, and a request in flight adds to them (Events: webhooks)',
  async (plain) => {
    const { sent, respond, endpoint, change } = world(failingFor(6));

    await change(plain);
    const { health } = endpoint();
    respond({ status: null, error: 'timeout' });
    await sent;

    expect(health).toEqual(failingFor(6));
    expect(endpoint()).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
  },
);
