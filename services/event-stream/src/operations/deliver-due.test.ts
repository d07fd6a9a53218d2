import { newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { endpointWith } from '../../test/support/endpoints.ts';
import type { EndpointHealth } from '../webhooks/endpoint-health.domain.ts';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import { createDeliverer } from './deliver-due.ts';

const startMs = Date.UTC(2026, 10, 21);
const paused: EndpointHealth = {
  failures: 5,
  failingSinceMs: startMs,
  lastFailureMs: startMs,
  pausedUntilMs: startMs + 10_000,
};

function newEndpoint(overrides: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return endpointWith({
    secrets: [{ secret: 'whsec_AAAA', createdAtMs: 0, endsAtMs: null }],
    ...overrides,
  });
}

function newDelivery(
  { id: endpointId, projectId }: WebhookEndpoint,
  overrides: Partial<WebhookDelivery> = {},
): WebhookDelivery {
  return {
    endpointId,
    projectId,
    eventId: `evt_${newRefreshId()}`,
    type: 'inventory.refresh.completed',
    body: '{}',
    state: 'pending',
    failure: null,
    createdAtMs: startMs,
    appendedAtMs: startMs,
    nextAttemptAtMs: startMs,
    failures: 0,
    claim: 0,
    attempts: [],
    attemptsTotal: 0,
    ...overrides,
  };
}

/** A deliverer over lists, whose requests last until the test ends them. */
function world(
  endpoints: readonly WebhookEndpoint[],
  deliveries: readonly WebhookDelivery[],
  requestsMax = 6,
) {
  const clock = createTestClock(startMs);
  const queue = new Map(deliveries.map((one) => [one.eventId, one]));
  const under = new Map<string, { delivery: WebhookDelivery; end: () => void }>();
  const stopped: string[] = [];
  const reads: string[] = [];
  const postponed: [string, number | null][] = [];
  const released: string[] = [];
  const withoutEvents = new Set<string>();
  const store = { isReady: Promise.resolve() };
  const queueDueMs = new Map(endpoints.map(({ id }) => [id, startMs]));
  const isDue = ({ nextAttemptAtMs }: WebhookDelivery, nowMs: number) =>
    nextAttemptAtMs !== null && nextAttemptAtMs <= nowMs;
  const deliverer = createDeliverer({
    queues: {
      async listDueQueues(_fromMs, nowMs, limit) {
        return endpoints
          .map(({ id, accountId }) => ({ id, accountId, dueAtMs: queueDueMs.get(id) }))
          .flatMap(({ id, accountId, dueAtMs }) =>
            dueAtMs !== undefined && dueAtMs <= nowMs
              ? [{ endpointId: id, accountId, dueAtMs }]
              : [],
          )
          .slice(0, limit);
      },
      readQueues: async (ids) =>
        endpoints
          .filter(({ id }) => ids.includes(id))
          .map((endpoint) => ({ endpoint, version: 1 })),
      endpointExists: async (endpointId) => endpoints.some(({ id }) => id === endpointId),
      async enqueue() {},
      async postpone({ endpoint: { id } }, dueAtMs) {
        postponed.push([id, dueAtMs]);
        if (dueAtMs === null) queueDueMs.delete(id);
        else queueDueMs.set(id, dueAtMs);
        return true;
      },
    },
    accounts: {
      acquire: async (ids) => new Set(ids),
      async maintain() {},
      async releaseAll() {},
    },
    deliveries: {
      async listDue(endpointId, nowMs, limit) {
        reads.push(endpointId);
        await store.isReady;
        return [...queue.values()]
          .filter((one) => one.endpointId === endpointId && one.type !== 'webhook.ping')
          .filter((one) => isDue(one, nowMs))
          .slice(0, limit);
      },
      async findNextAttempt(endpointId, nowMs) {
        const later = [...queue.values()]
          .filter((one) => one.endpointId === endpointId && !isDue(one, nowMs))
          .flatMap(({ nextAttemptAtMs }) => nextAttemptAtMs ?? []);
        return later.length > 0 ? Math.min(...later) : null;
      },
      listDuePings: async (nowMs, limit) =>
        [...queue.values()]
          .filter((one) => one.type === 'webhook.ping' && isDue(one, nowMs))
          .slice(0, limit),
      async claimDeliveries(due, untilMs) {
        return due.flatMap((delivery) => {
          const kept = queue.get(delivery.eventId);
          if (kept?.claim !== delivery.claim) return [];
          const claimed = { ...kept, claim: kept.claim + 1, nextAttemptAtMs: untilMs };
          queue.set(delivery.eventId, claimed);
          return [claimed];
        });
      },
      async releaseClaim({ eventId }) {
        released.push(eventId);
      },
    },
    eventAccess: { mayHaveEvents: async (projectId) => !withoutEvents.has(projectId) },
    onStopped: (endpointId) => stopped.push(endpointId),
    onDrained: () => {},
    attempt: (_endpoint, delivery, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cut short')));
        const end = () => {
          queue.delete(delivery.eventId);
          const attempt = { atMs: clock.now(), status: 204, durationMs: 5, error: null };
          resolve({ attempt: { ...attempt, responseBody: null }, recorded: Promise.resolve() });
        };
        under.set(delivery.eventId, { delivery, end });
      }),
    clock,
    logger: testLogger,
    limits: {
      requestsMax,
      requestsPerAccountMax: requestsMax,
      requestsPerEndpointMax: 4,
      slowFromMs: 1_000,
      claimMs: 60_000,
    },
    health: {
      disableAfterMs: 1e9,
      silenceMaxMs: 1e9,
      pauseAfterFailures: 5,
      pauseFirstMs: 10_000,
      pauseMaxMs: 300_000,
    },
    onSlotReleased: () => {},
  });
  return {
    ...{ clock, deliverer, under, stopped, postponed, reads, queue, released, withoutEvents },
    store,
    /** Deliveries of an endpoint become due. */
    add(endpoint: WebhookEndpoint, added: readonly WebhookDelivery[]) {
      for (const delivery of added) queue.set(delivery.eventId, delivery);
      queueDueMs.set(endpoint.id, clock.now());
      deliverer.notify(endpoint);
    },
    /** Rounds until nothing more is found. */
    async settle() {
      for (let rounds = 0; await deliverer.startDue(); rounds += 1) {
        if (rounds > 100) throw new Error('the rounds do not end');
      }
    },
  };
}

const times = (count: number, endpoint: WebhookEndpoint) =>
  Array.from({ length: count }, () => newDelivery(endpoint));

const countOf = (under: ReadonlyMap<string, { delivery: WebhookDelivery }>, id: string) =>
  [...under.values()].filter(({ delivery }) => delivery.endpointId === id).length;

test('an endpoint starts with one request, has four once it responds fast, all together at most six (Events: webhooks)', async () => {
  const [busy, other] = [newEndpoint(), newEndpoint()];
  const { under, settle } = world([busy, other], [...times(30, busy), ...times(30, other)]);

  await settle();
  expect([countOf(under, busy.id), countOf(under, other.id)]).toEqual([1, 1]);

  for (const { end } of [...under.values()]) end();
  under.clear();
  await waitFor('the slots are used again', async () => {
    await settle();
    return under.size === 6;
  });
  expect([countOf(under, busy.id), countOf(under, other.id)]).toEqual([3, 3]);
});

test('sixty-four endpoints that hang with 100,000 queued deliveries delay no endpoint that responds fast (Events: webhooks)', async () => {
  const hanging = Array.from({ length: 64 }, () => newEndpoint());
  const fast = newEndpoint();
  const first = times(1, fast);
  const { under, queue, settle, clock, add } = world([...hanging, fast], first, 64);
  await settle();
  under.get(first[0]?.eventId ?? '')?.end();
  under.clear();
  for (const endpoint of hanging) add(endpoint, times(1_562, endpoint));
  await settle();
  clock.advance(2_000);
  expect(under.size).toBe(48);

  for (let round = 0; round < 5; round += 1) {
    add(fast, times(4, fast));
    await waitFor('its deliveries are sent', async () => {
      await settle();
      const own = [...under].filter(([, { delivery }]) => delivery.endpointId === fast.id);
      for (const [id, { end }] of own) {
        end();
        under.delete(id);
      }
      return ![...queue.values()].some(({ endpointId }) => endpointId === fast.id);
    });
  }
  expect(under.size).toBe(48);
});

test('the queue of a paused endpoint is moved to the end of its pause and not read (architecture: everything is bounded)', async () => {
  const resting = newEndpoint({ health: paused });
  const { reads, postponed, settle, clock } = world([resting], times(1_000, resting));

  for (let wakes = 0; wakes < 5; wakes += 1) {
    await settle();
    clock.advance(1_000);
  }

  expect(reads).toEqual([]);
  expect(postponed).toEqual([[resting.id, paused.pausedUntilMs]]);
});

test('a paused endpoint is sent nothing until its pause ends, then one request (Events: webhooks)', async () => {
  const endpoint = newEndpoint({ health: paused });
  const { under, settle, clock } = world([endpoint], times(5, endpoint));

  await settle();
  expect(under.size).toBe(0);
  clock.advance(10_000);
  await settle();
  expect(under.size).toBe(1);
});

test('an empty queue is not read again; one with a claim or a retry is, once that is due (Events: webhooks)', async () => {
  const [sent, waiting] = [newEndpoint(), newEndpoint()];
  const retry = newDelivery(waiting, { nextAttemptAtMs: startMs + 300_000 });
  const [first, ...others] = times(3, sent);
  const all = [...(first ? [first] : []), retry];
  const { under, settle, clock, reads, postponed, add } = world([sent, waiting], all);
  const moved = (endpoint: WebhookEndpoint) =>
    postponed.filter(([id]) => id === endpoint.id).map(([, dueAtMs]) => dueAtMs);
  await settle();
  under.get(first?.eventId ?? '')?.end();
  await waitFor('the queue is empty', async () => {
    await settle();
    return moved(sent).length === 1;
  });

  add(sent, others);
  await settle();
  clock.advance(1_000);
  await settle();

  expect(moved(waiting)).toEqual([startMs + 300_000]);
  expect(moved(sent)).toEqual([null, startMs + 60_000]);
  expect(reads.filter((id) => id === waiting.id)).toHaveLength(1);
});

test('a test is sent at once to a disabled or a paused endpoint (Events: webhooks)', async () => {
  const disabled = newEndpoint({ state: 'disabled', disabledReason: 'requested' });
  const resting = newEndpoint({ health: paused });
  const pings = [disabled, resting].map((one) => newDelivery(one, { type: 'webhook.ping' }));
  const events = [newDelivery(disabled), newDelivery(resting)];
  const { under, stopped, settle } = world([disabled, resting], [...events, ...pings]);

  await settle();
  expect([...under.keys()].sort()).toEqual(pings.map(({ eventId }) => eventId).sort());
  for (const { end } of under.values()) end();
  await waitFor('the deliveries of the disabled endpoint are to be ended', async () => {
    await settle();
    return stopped.includes(disabled.id);
  });
  expect(under.size).toBe(2);
});

test('deliveries of a suspended Project wait without losing an attempt; those of a deleted endpoint are ended (Tenancy)', async () => {
  const [suspended, gone] = [newEndpoint(), newEndpoint()];
  const all = [...times(2, suspended), ...times(2, gone)];
  const { under, stopped, withoutEvents, settle, clock, deliverer } = world([suspended], all);
  withoutEvents.add(suspended.projectId);
  deliverer.notify(gone);

  await settle();
  expect([under.size, stopped]).toEqual([0, [gone.id]]);
  withoutEvents.clear();
  await settle();
  expect(under.size).toBe(0);
  clock.advance(5_000);
  await settle();

  expect([...under.values()].map(({ delivery }) => delivery.claim)).toEqual([1]);
});

test('nothing is sent unsigned', async () => {
  const endpoint = newEndpoint({ secrets: [] });
  const { under, settle } = world([endpoint], times(2, endpoint));

  await settle();

  expect(under.size).toBe(0);
});

test('a stop waits for requests in flight and releases those without a response (Events: webhooks)', async () => {
  const endpoint = newEndpoint();
  const { under, released, settle, deliverer } = world([endpoint], times(2, endpoint));
  await settle();
  const [first, second] = [...under.values()];

  const stopped = deliverer.stop(50);
  first?.end();
  await stopped;

  expect(released).toEqual([second?.delivery.eventId]);
});

/** The endpoint has responded fast, and its queue is empty. */
async function keepUp(
  { under, settle, deliverer }: ReturnType<typeof world>,
  endpoint: WebhookEndpoint,
): Promise<void> {
  await settle();
  for (const [id, { delivery, end }] of under) {
    if (delivery.endpointId !== endpoint.id) continue;
    under.delete(id);
    end();
  }
  await waitFor('the endpoint keeps up', async () => {
    await settle();
    return deliverer.modeOf(endpoint) === 'send';
  });
}

const unstored = (count: number, endpoint: WebhookEndpoint) =>
  times(count, endpoint).map((one) => ({ ...one, nextAttemptAtMs: null }));

test('a page is sent while a queue is being read, and both keep the limit of the replica (Events: webhooks)', async () => {
  const [quick, queued] = [newEndpoint(), newEndpoint()];
  const open = world([quick, queued], times(1, quick), 4);
  const { under, store, deliverer, add, settle } = open;
  await keepUp(open, quick);
  const ready = Promise.withResolvers<void>();
  store.isReady = ready.promise;
  let left: readonly WebhookDelivery[] | null = null;
  deliverer.send(quick, unstored(9, quick), async (some) => {
    left = some;
  });
  add(queued, times(3, queued));

  await deliverer.startDue();
  await deliverer.startDue();
  const whileRead = [countOf(under, quick.id), countOf(under, queued.id)];
  ready.resolve();
  await waitFor('the queue is read', () => countOf(under, queued.id) === 1);
  await waitFor('the page is sent', async () => {
    for (const [id, { delivery, end }] of under) {
      if (delivery.endpointId !== quick.id) continue;
      under.delete(id);
      end();
    }
    await settle();
    expect(under.size).toBeLessThanOrEqual(4);
    return left !== null;
  });

  // One slot is reserved for the queue.
  expect(whileRead).toEqual([3, 0]);
  expect(left).toEqual([]);
});

test('what was not sent of a page is left for the queue once its endpoint is slow, and when the replica stops (Events: webhooks)', async () => {
  const [slow, other] = [newEndpoint(), newEndpoint()];
  const open = world([slow, other], [...times(1, slow), ...times(1, other)], 8);
  const { under, clock, deliverer, settle } = open;
  await keepUp(open, slow);
  await keepUp(open, other);
  const left = new Map<string, number>();
  const sendTen = (one: WebhookEndpoint) =>
    deliverer.send(one, unstored(10, one), async (some) => void left.set(one.id, some.length));
  sendTen(slow);
  await settle();
  clock.advance(1_500);
  sendTen(other);
  await settle();

  const mode = deliverer.modeOf(slow);
  const stopped = deliverer.stop(600_000);
  for (const { end } of under.values()) end();
  await stopped;

  expect(mode).toBe('insert');
  expect(left).toEqual(new Map([slow, other].map(({ id }) => [id, 6])));
});
