import type { EventId } from '@inventory/contracts/ids';
import { createKeyedSemaphore, createSemaphore } from '@inventory/runtime/semaphore';
import { newRefreshId } from '@inventory/testkit/builders';
import { createMemoryQueue } from '@inventory/testkit/memory-queue';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { WorkQueue } from '@inventory/work/work-queue';
import fc from 'fast-check';
import { endpointWith } from '../../test/support/endpoints.ts';
import type { KeptEntry } from '../log/project-log-store.ts';
import type { AttemptReport } from './delivery-store.ts';
import type { EndpointHealth } from './endpoint-health.domain.ts';
import type { EventAccess } from './event-access.ts';
import type { Webhooks } from './open-webhooks.ts';
import { type deliveryOf, serveEndpoint } from './serve-endpoint.ts';
import { afterAttempt } from './webhook-delivery.domain.ts';
import type { DueEndpoint, WebhookDelivery, WebhookEndpoint } from './webhook-document.ts';

const startMs = Date.UTC(2026, 10, 21);
const claimMs = 60_000;
const dayMs = 86_400_000;
const [refreshed, low] = ['inventory.refresh.completed', 'account.balance.low'] as const;

type Flaw = 'moves before it inserts' | 'moves past a change' | 'forgets what comes meanwhile';

const capacity = {
  requests: createSemaphore(100),
  extraRequests: createKeyedSemaphore<string>({ perKeyMax: 100, totalMax: 100 }),
};

/** One endpoint over lists. `cut` is called before each write and read, and may throw. */
function world(changes: Partial<WebhookEndpoint> = {}, cut = () => {}, flaw?: Flaw) {
  const clock = createTestClock(startMs);
  const secrets = [{ secret: 'whsec_AAAA', createdAtMs: 0, endsAtMs: null }];
  let endpoint = endpointWith({ secrets, pace: 'fast', ...changes });
  const entries: KeptEntry[] = [];
  const stored = new Map<EventId, WebhookDelivery>();
  const sent: { readonly eventId: EventId; readonly body: string }[] = [];
  const queue = createMemoryQueue<DueEndpoint>();
  const { endpointId, projectId } = endpoint;
  const access: { now: EventAccess } = { now: 'allowed' };
  const response = { status: 204, durationMs: 5, held: Promise.resolve() };
  queue.add(endpointId, endpoint, startMs);
  const orCut = <Value>(value: () => Value): Promise<Value> =>
    Promise.resolve().then(cut).then(value);

  const cutQueue: WorkQueue<DueEndpoint> = {
    ...queue,
    async settle(claimed, settled) {
      cut();
      const { version } = (settled.read ?? {}) as { version?: number };
      const isChanged = version !== undefined && version !== endpoint.version;
      if (isChanged && flaw !== 'moves past a change') return null;
      const isForgotten = flaw === 'forgets what comes meanwhile' && settled.dueAtMs === null;
      const ended = isForgotten ? 'settled' : await queue.settle(claimed, settled);
      if (isForgotten) queue.pending.delete(endpointId);
      if (ended !== null) endpoint = { ...endpoint, ...settled.fields };
      return ended;
    },
  };
  const webhooks = only<Webhooks>({
    log: only({
      listAfter: (_project, position, limit) =>
        orCut(() => entries.filter((entry) => entry.position > position).slice(0, limit)),
    }),
    endpoints: only({
      readEndpoint: () => orCut(() => endpoint),
      update: (read, fields) =>
        orCut(() => {
          if (read.version !== endpoint.version) return false;
          endpoint = { ...endpoint, ...fields };
          return true;
        }),
      deleteRemoved: async () => {},
    }),
    deliveries: only({
      insertMissing: (wanted, nowMs) =>
        orCut(() => {
          const missing = wanted.filter(({ eventId }) => !stored.has(eventId));
          for (const one of missing) stored.set(one.eventId, pendingOf(one, nowMs));
          return missing.length;
        }),
      listPending: (_id, limit, types) =>
        orCut(() =>
          [...stored.values()]
            .filter(({ state, type }) => state === 'pending' && (types === 'all' || isTest(type)))
            .sort((a, b) => (a.nextAttemptAtMs ?? 0) - (b.nextAttemptAtMs ?? 0))
            .slice(0, limit),
        ),
      recordAttempt: ({ delivery, progress }) =>
        orCut(() => {
          const now = stored.get(delivery.eventId);
          if (now?.attemptsTotal !== delivery.attemptsTotal) return;
          const attemptsTotal = now.attemptsTotal + 1;
          stored.set(now.eventId, { ...now, ...progress, attemptsTotal });
        }),
      failOfEndpoint: (_id, failure, limit) =>
        orCut(() => {
          const pending = [...stored.values()].filter(
            ({ state, type }) => state === 'pending' && !isTest(type),
          );
          for (const one of pending.slice(0, limit)) {
            stored.set(one.eventId, { ...one, state: 'failed', failure, nextAttemptAtMs: null });
          }
          return Math.min(limit, pending.length);
        }),
      async removeOfEndpoint() {
        stored.clear();
        return true;
      },
    }),
    eventAccess: only({ find: async () => access.now }),
    async attempt(_endpoint, delivery) {
      const { eventId, body } = delivery;
      sent.push({ eventId, body });
      await response.held;
      return reportOf(delivery, clock.now(), response);
    },
    clock,
    logger: testLogger,
    health: {
      ...{ disableAfterMs: 1e9, silenceMaxMs: 1e9 },
      ...{ pauseAfterFailures: 5, pauseFirstMs: 10_000, pauseMaxMs: 300_000 },
    },
    limits: {
      ...{ requestsMax: 100, requestsPerEndpointMax: 4, slowFromMs: 1_000 },
      ...{ claimMs, runMs: 5_000, waitMaxMs: dayMs },
    },
    stopping: new AbortController().signal,
    running: new Map(),
    noteDue: () => {},
  });

  /** A delivery run, where the endpoint is due; it may be cut short, and then leaves its claim. */
  async function run(changed: Partial<Webhooks> = {}): Promise<boolean> {
    const [due] = await queue.findDue(clock.now(), 1);
    const claimed = due && (await queue.claim(due, 'a', clock.now() + claimMs));
    if (!claimed) return false;
    if (flaw === 'moves before it inserts') {
      endpoint = { ...endpoint, nextPosition: entries.length + 1 };
    }
    await serveEndpoint({ ...webhooks, ...changed }, cutQueue, capacity, claimed).catch(() => {});
    return true;
  }

  return {
    webhooks,
    clock,
    queue,
    stored,
    sent,
    access,
    response,
    entries,
    endpoint: () => endpoint,
    append(...types: string[]) {
      for (const type of types) {
        const position = entries.length + 1;
        const eventId: EventId = `evt_${newRefreshId()}`;
        const json = `{"at":${position}}`;
        const appendedAtMs = clock.now();
        const text = { type, json, occurredAtMs: startMs, refreshId: null };
        const event = { id: eventId, ...text };
        entries.push({ projectId, logEpoch: 1, position, event, appendedAtMs });
      }
      if (!queue.pending.has(endpointId)) queue.add(endpointId, endpoint, clock.now());
      queue.makeDue(endpointId, clock.now());
    },
    change(fields: Partial<WebhookEndpoint>) {
      endpoint = { ...endpoint, ...fields, version: endpoint.version + 1 };
      if (!queue.pending.has(endpointId)) queue.add(endpointId, endpoint, clock.now());
      queue.makeDue(endpointId, clock.now());
    },
    run,
    async runAll(): Promise<void> {
      for (let runs = 0; await run(); runs += 1) {
        if (runs > 1_000) throw new Error('the runs do not end');
      }
    },
    dueAtMs: () => queue.pending.get(endpointId)?.dueAtMs ?? null,
  };
}

const isTest = (type: string) => type === 'webhook.ping';

function pendingOf(made: ReturnType<typeof deliveryOf>, nowMs: number): WebhookDelivery {
  return {
    ...{ ...made, _id: `${made.endpointId}/${made.eventId}`, orderKey: made.eventId },
    ...{ state: 'pending', failure: null, createdAtMs: nowMs, nextAttemptAtMs: nowMs },
    ...{ failures: 0, attempts: [], attemptsTotal: 0 },
  };
}

function reportOf(
  delivery: WebhookDelivery,
  atMs: number,
  { status, durationMs }: { status: number; durationMs: number },
): AttemptReport {
  const isSuccess = status < 300;
  const error = isSuccess ? null : ('status' as const);
  const attempt = { atMs, status, durationMs, error, responseBody: null };
  const rules = { scheduleMs: Array(1_000).fill(5_000), retryAfterMaxMs: 0 };
  const end = { isSuccess, atMs, retryAfterMs: null, random: 0 };
  return { delivery, attempt, progress: afterAttempt(delivery, end, rules) };
}

const step = fc.record({
  append: fc.array(fc.constantFrom(refreshed, low), { maxLength: 30 }),
  subscribes: fc.boolean(),
  /** Calls of the stores until one fails, which ends the run as a crash does. */
  cutAfter: fc.option(fc.nat(12)),
  /** Calls of the stores before it is changed and appended to, while its run lasts. */
  meanwhileAfter: fc.nat(12),
  /** Concurrent runs: the claim of the first has expired when the second begins. */
  overlapping: fc.boolean(),
  meanwhile: fc.array(fc.constantFrom(refreshed, low), { maxLength: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function play(steps: readonly Step[], flaw?: Flaw): Promise<void> {
  let calls = 0;
  const due: { after: number; happens: () => void }[] = [];
  const cut = () => {
    calls += 1;
    for (const one of due.splice(0)) {
      if (one.after < calls) one.happens();
      else due.push(one);
    }
  };
  const { clock, append, change, run, runAll, endpoint, entries, stored, sent } = world(
    {},
    cut,
    flaw,
  );
  let lowFrom = Number.POSITIVE_INFINITY;
  for (const { append: types, subscribes, meanwhile, overlapping, ...after } of steps) {
    append(...types);
    calls = 0;
    const cutAfter = after.cutAfter ?? Number.POSITIVE_INFINITY;
    const crash = () => {
      throw new Error('cut short');
    };
    const happens = () => {
      if (subscribes) {
        change({ types: [refreshed, low] });
        lowFrom = Math.min(lowFrom, entries.length + 1);
      }
      if (meanwhile.length > 0) append(...meanwhile);
    };
    due.push({ after: after.meanwhileAfter, happens }, { after: cutAfter, happens: crash });
    const first = run();
    await Promise.resolve();
    if (overlapping) clock.advance(claimMs);
    await Promise.all([first, overlapping && run()]);
    const left = due.splice(0).some((one) => one.happens === happens);
    if (left) happens();
    clock.advance(overlapping ? 1 : claimMs);
  }
  clock.advance(claimMs);
  await runAll();

  const wanted = entries.filter(
    ({ event, position }) => event.type === refreshed || position >= lowFrom,
  );
  for (const { event, position } of wanted) {
    const { id: eventId, json } = event;
    const delivery = stored.get(eventId);
    if (delivery?.state !== 'delivered') throw new Error(`event ${position} was not delivered`);
    const bodies = sent.filter((one) => one.eventId === eventId).map(({ body }) => body);
    if (bodies.some((body) => body !== json)) throw new Error(`event ${position} has other bytes`);
  }
  if (endpoint().nextPosition !== entries.length + 1) throw new Error('the position is too low');
}

const isComplete = (flaw?: Flaw) =>
  fc.asyncProperty(fc.array(step, { maxLength: 8 }), (steps) => play(steps, flaw));

test('under any interruption, change and overlap of runs every event is delivered with its bytes, and the position skips none (Events: webhooks)', async () => {
  await fc.assert(isComplete(), { numRuns: propertyRuns(300) });
});

test.each<Flaw>(['moves before it inserts', 'moves past a change', 'forgets what comes meanwhile'])(
  'the property notices an endpoint that %s',
  async (flaw) => {
    const checked = await fc.check(isComplete(flaw), {
      seed: 7,
      numRuns: 3_000,
      endOnFailure: true,
    });
    expect(checked.failed).toBe(true);
  },
);

const paused: EndpointHealth = {
  failures: 5,
  failingSinceMs: startMs,
  lastFailureMs: startMs,
  pausedUntilMs: startMs + 10_000,
};

test('an endpoint has one request until it responds within a second, then four; a slower response ends its run (Events: webhooks)', async () => {
  for (const [pace, durationMs, next, count] of [
    ['new', 5, 'fast', 1],
    ['fast', 5, 'fast', 19],
    ['fast', 1_500, 'slow', 4],
    ['slow', 1_500, 'slow', 19],
    ['slow', 5, 'fast', 1],
  ] as const) {
    const { append, response, run, endpoint, sent, dueAtMs, clock } = world({ pace });
    response.durationMs = durationMs;
    append(...Array(19).fill(refreshed));

    await run();

    expect([endpoint().pace, sent.length]).toEqual([next, count]);
    expect(dueAtMs()).toBe(count === 19 ? null : clock.now());
  }
});

test('an event is sent in the run that inserts its delivery, however long the store takes (Events: webhooks)', async () => {
  const { append, webhooks, run, clock, sent, dueAtMs } = world();
  const { insertMissing } = webhooks.deliveries;
  const slowly: Webhooks['deliveries'] = {
    ...webhooks.deliveries,
    insertMissing(wanted, nowMs) {
      clock.advance(5);
      return insertMissing(wanted, nowMs + 5);
    },
  };
  append(refreshed);

  await run({ deliveries: slowly });

  expect([sent.length, dueAtMs()]).toEqual([1, null]);
});

test('an endpoint with more retries than a run reads is due when the first one is, and its runs read no more than they send (Events: webhooks)', async () => {
  const { append, run, runAll, stored, sent, dueAtMs, clock, queue, endpoint } = world();
  append(...Array(450).fill(refreshed));
  await run();
  const parts = [sent.length, dueAtMs()];
  await runAll();
  for (const [at, [id, one]] of [...stored].entries()) {
    stored.set(id, { ...one, state: 'pending', nextAttemptAtMs: clock.now() + 60_000 + at });
  }
  queue.add(endpoint().endpointId, endpoint(), clock.now());
  await run();

  expect(parts).toEqual([200, startMs]);
  expect([sent.length, dueAtMs()]).toEqual([450, clock.now() + 60_000]);
});

test('five failures pause an endpoint, whose runs then send nothing until one request tests it (Events: webhooks)', async () => {
  const { append, response, run, runAll, sent, dueAtMs, clock, endpoint } = world({ pace: 'slow' });
  response.status = 503;
  response.durationMs = 1_500;
  append(...Array(20).fill(refreshed));
  await run();
  const whilePaused = [sent.length, dueAtMs()];

  append(refreshed);
  await run();
  const beside = [sent.length, endpoint().nextPosition];
  clock.advance(10_000);
  await runAll();

  expect(whilePaused).toEqual([5, startMs + 5_000]);
  expect(beside).toEqual([5, 22]);
  expect(sent).toHaveLength(6);
  expect(dueAtMs()).toBeGreaterThanOrEqual(endpoint().health.pausedUntilMs - 15_000);
});

test('an endpoint that a wrong clock has paused, or a delivery that it has postponed, for longer than any is, is sent at once (Events: webhooks)', async () => {
  const ahead = { ...paused, pausedUntilMs: startMs + dayMs };
  const { append, runAll, stored, sent, clock, queue, endpoint } = world({ health: ahead });
  append(refreshed, refreshed);
  await runAll();
  const first = sent.length;
  type Entry = [EventId, WebhookDelivery];
  const [[id, one], [other, two]] = [...stored] as [Entry, Entry];
  stored.set(id, { ...one, state: 'pending', nextAttemptAtMs: clock.now() + dayMs + 1 });
  stored.set(other, { ...two, state: 'pending', nextAttemptAtMs: clock.now() + dayMs });
  queue.add(endpoint().endpointId, endpoint(), clock.now());
  await runAll();

  expect(first).toBe(2);
  expect(sent.slice(2).map(({ eventId }) => eventId)).toEqual([id]);
});

test('a test is sent to a disabled or a paused endpoint, and nothing else; a disabled one has its deliveries ended (Events: webhooks)', async () => {
  for (const changes of [{ state: 'disabled' as const }, { health: paused }]) {
    const { append, change, run, runAll, stored, sent, endpoint, dueAtMs } = world();
    append(refreshed, refreshed);
    await run();
    append(refreshed);
    change(changes);
    const ping = { ...pingTo(endpoint()), appendedAtMs: null };
    stored.set(ping.eventId, pendingOf(ping, startMs));
    await runAll();

    expect(sent.slice(2).map(({ eventId }) => eventId)).toEqual([ping.eventId]);
    expect(dueAtMs()).toBe('state' in changes ? null : paused.pausedUntilMs);
  }
});

function pingTo({ endpointId, projectId }: WebhookEndpoint) {
  const eventId: EventId = `evt_${newRefreshId()}`;
  return { endpointId, projectId, eventId, type: 'webhook.ping', body: '{}' };
}

test('an endpoint that may not be sent to waits without a slot, an attempt or a poll, and is served once it may (Tenancy)', async () => {
  const { append, access, run, runAll, stored, sent, queue, clock, endpoint, dueAtMs } = world();
  append(refreshed);
  access.now = 'refused';
  await run();
  const waiting = [dueAtMs(), stored.size, endpoint().nextPosition];
  clock.advance(60_000);
  const isPolled = await run();

  access.now = 'allowed';
  queue.makeDue(endpoint().endpointId, clock.now());
  await runAll();

  expect(waiting).toEqual([startMs + 10 * 60_000, 0, 1]);
  expect([isPolled, sent.length, dueAtMs()]).toEqual([false, 1, null]);
});

test('what a run leaves is late, unless the endpoint is paused or disabled, or its account suspended, for however long (runbooks: WebhooksLate)', async () => {
  const cases = {
    sent: [{}, 'allowed', null],
    unreadable: [{ secrets: [] }, 'allowed', startMs],
    'of unknown access': [{}, 'unknown', startMs + 1],
    'of a suspended account': [{}, 'refused', null],
    'of a paused endpoint': [{ health: paused }, 'allowed', null],
    'of a disabled endpoint': [{ state: 'disabled' }, 'allowed', null],
  } as const;
  for (const [name, [changes, access, late]] of Object.entries(cases)) {
    const stage = world({ secrets: [] });
    const { secrets } = world().endpoint();
    stage.append(refreshed);
    await stage.run();
    stage.clock.advance(1);
    stage.access.now = access;
    stage.change({ secrets, lateSinceMs: null, ...changes });
    await stage.run();
    expect([name, stage.endpoint().lateSinceMs]).toEqual([name, late]);
  }
});

test('nothing is sent unsigned: deliveries are kept until a secret can be read', async () => {
  const { append, change, runAll, run, stored, sent } = world({ secrets: [] });
  append(refreshed, refreshed);
  await run();
  expect([stored.size, sent.length]).toEqual([2, 0]);

  change({ secrets: [{ secret: 'whsec_AAAA', createdAtMs: 0, endsAtMs: null }] });
  await runAll();

  expect(sent).toHaveLength(2);
});

test('what an endpoint missed between disabling and enabling is not sent, also in a run that began before (Events: webhooks)', async () => {
  const { append, change, run, runAll, response, sent, entries, clock } = world({ pace: 'slow' });
  const held = Promise.withResolvers<void>();
  response.held = held.promise;
  response.durationMs = 1_500;
  append(refreshed);
  const running = run();
  while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  change({ state: 'disabled' });
  append(refreshed, refreshed);
  change({ state: 'enabled', nextPosition: entries.length + 1 });
  clock.advance(250);
  held.resolve();
  await running;
  append(refreshed);
  await runAll();

  const wanted = [entries[0], entries[3]].map((entry) => entry?.event.id);
  expect(sent.map(({ eventId }) => eventId)).toEqual(wanted);
});

test('a run that a stop ends leaves what is due to the next replica at once (Events: webhooks)', async () => {
  const { webhooks, run, append, sent, dueAtMs, clock } = world({ pace: 'slow' });
  append(refreshed, refreshed, refreshed);
  const stopping = new AbortController();
  const cut = () => Promise.reject(new Error('cut short'));
  const attempt: Webhooks['attempt'] = (endpoint, delivery) => {
    stopping.abort();
    return sent.length === 0 ? webhooks.attempt(endpoint, delivery) : cut();
  };

  await run({ attempt, stopping: stopping.signal });

  expect([sent.length, dueAtMs()]).toEqual([1, clock.now()]);
});
