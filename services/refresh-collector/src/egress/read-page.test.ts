import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import { newAccountId, newScope } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import type { RawPlatformResponse } from '../platform/platform-response.domain.ts';
import type { EgressSlot } from './egress-pool.ts';
import { createEgressQueue } from './egress-queue.ts';
import type { Egress } from './open-egress.ts';
import { type PageReading, readPage } from './read-page.ts';

const forever = new AbortController().signal;
const empty = '{"success":1,"total_inventory_count":0,"rwgrsn":-2}';
const page: RawPlatformResponse = { status: 200, body: Buffer.from(empty), retryAfterMs: null };

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

/** One identity whose slots are given by hand, and a platform that responds when it is told to. */
function openEgress() {
  const queue = createEgressQueue<EgressSlot>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
  const responded = Promise.withResolvers<RawPlatformResponse>();
  const requests: { readonly language: string; readonly timeoutMs: number }[] = [];
  const released: unknown[] = [];
  const egress = only<Egress>({
    pool: only<Egress['pool']>({ acquire: queue.wait }),
    identities: [only<Egress['identities'][number]>({ id: 'direct' })],
    platform: {
      fetchPage: (_identity, { language }, timeoutMs) => {
        requests.push({ language, timeoutMs });
        return responded.promise;
      },
      timeoutMsFor: (timeLeftMs) => Math.min(20_000, timeLeftMs),
    },
    breakers: only<Egress['breakers']>({ trackRequest: () => async () => {} }),
    executor: createSerialExecutor(),
    onReleaseFailed: () => {},
    onResponse: () => {},
    monotonicNow: () => 0,
  });
  const give = () =>
    queue
      .takeNext({
        ...{ identityId: 'direct', active: ['direct'], reads: [], claims: [] },
        ...{ wasOwn: false, liveCredit: 0, canWait: false },
      })
      ?.serve({ identityId: 'direct', release: async (result) => void released.push(result) });
  const scope = newScope();
  const read = (of: Partial<PageReading> = {}, signal = forever) =>
    readPage(
      egress,
      {
        ...{ accountId: newAccountId(), scope, language: 'english', count: 2_000 },
        ...{ startAssetId: null, deadlineMs: null, avoid: [], unreachable: [] },
        ...{ respondByMs: 5_000, ...of },
      },
      signal,
    );
  return { queue, requests, released, respond: responded.resolve, give, read };
}

const kindOf = (read: Awaited<ReturnType<typeof readPage>>) => read?.response.kind;

it('live pages that wait for the same one are read by one request, after the first has its slot (upstream 6.17)', async () => {
  const { queue, requests, released, respond, give, read } = openEgress();
  const reads = Array.from({ length: 5 }, () => read());
  const others = [
    read({ language: 'german' }),
    read({ startAssetId: '5' }),
    read({ count: 1_000 }),
    read({ scope: newScope() }),
    read({ avoid: ['direct'] }),
    read({ deadlineMs: 1, respondByMs: Number.POSITIVE_INFINITY }),
  ];

  give();
  await yieldToEventLoop();
  const late = read();
  respond(page);
  const shared = await Promise.all(reads);

  expect(shared.map(kindOf)).toEqual(Array(5).fill('page'));
  expect(requests).toHaveLength(1);
  expect(released).toEqual([{ result: 'served' }]);
  // The one that came while the request was under way waits for another one.
  expect(queue.size).toBe(others.length + 1);
  give();
  await yieldToEventLoop();
  expect(requests).toHaveLength(2);
  for (let slot = 0; slot < others.length; slot += 1) give();
  expect(kindOf(await late)).toBe('page');
});

it('a shared request has the time of the reader with the most, and each reader leaves in its own', async () => {
  const { requests, respond, give, read } = openEgress();
  const short = read({ respondByMs: 1_000 });
  const long = read({ respondByMs: 9_000 });
  const middle = read({ respondByMs: 3_000 });

  give();
  await yieldToEventLoop();
  jest.advanceTimersByTime(1_000);

  expect((await short)?.response).toMatchObject({ kind: 'fault', reason: 'timeout' });
  respond(page);
  expect([kindOf(await long), kindOf(await middle)]).toEqual(['page', 'page']);
  expect(requests).toEqual([{ language: 'english', timeoutMs: 9_000 }]);
});

it('a reader that leaves takes the page of no other', async () => {
  const { requests, respond, give, read } = openEgress();
  const leaving = new AbortController();
  const [first, second, third] = [read({}, leaving.signal), read(), read({}, leaving.signal)];

  leaving.abort();
  give();
  respond(page);

  expect([kindOf(await first), kindOf(await second), kindOf(await third)]).toEqual([
    undefined,
    'page',
    undefined,
  ]);
  expect(requests).toHaveLength(1);
});
