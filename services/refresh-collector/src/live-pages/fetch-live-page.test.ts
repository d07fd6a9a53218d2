import { createKeyedSemaphore } from '@inventory/runtime/semaphore';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import { createTokenBuckets } from '@inventory/runtime/token-buckets';
import { newAccountId, newScope } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { EgressIdentity } from '../egress/egress-identities.ts';
import type { Denial } from '../egress/page-verdicts.domain.ts';
import type { RawPlatformResponse } from '../platform/platform-response.domain.ts';
import { fetchLivePage, type LivePageRequest } from './fetch-live-page.ts';
import type { LivePages } from './open-live-pages.ts';

const empty = '{"success":1,"total_inventory_count":0,"rwgrsn":-2}';
const page: RawPlatformResponse = { status: 200, body: Buffer.from(empty), retryAfterMs: null };
const rules = {
  ...{ triesMax: 3, throttledMax: 6, retryMs: 0, duplicateRetryMs: 0 },
  ...{ count: 2_000, smallerCount: 1_000 },
};

/** One identity, and a platform that responds when its client has left, or before. */
function openReplica(slotIsFree = true) {
  const clock = createTestClock();
  const identity = { id: 'direct' } as EgressIdentity;
  const platform = { response: page, requests: 0, meanwhile: () => {} };
  const abandoned = createTokenBuckets(2, 10, clock);
  const released = async () => {};
  const egress = only<LivePages['egress']>({
    pool: only({
      async acquire() {
        if (slotIsFree) return { identityId: identity.id, release: released };
        platform.meanwhile();
        return undefined;
      },
      coolDownIdentity: released,
    }),
    identities: [identity],
    platform: {
      async fetchPage() {
        platform.requests += 1;
        platform.meanwhile();
        return platform.response;
      },
      timeoutMsFor: () => 600_000,
    },
    breakers: { admits: async () => true, trackRequest: () => async () => {} } as never,
    executor: createSerialExecutor(),
    onReleaseFailed: () => {},
    onResponse: () => {},
    monotonicNow: () => 0,
  });
  const limiter = createKeyedSemaphore<LivePageRequest['accountId']>({
    perKeyMax: 10,
    totalMax: 10,
  });
  const known = new Map<LivePageRequest['scope'], Denial>();
  const livePages = only<LivePages>({
    ...{ egress, limiter, abandoned, rules, stopping: new AbortController().signal },
    begin: async () => () => {},
    findDenial: async (scope) => known.get(scope) ?? null,
    recordDenial: async (scope, denial) => void known.set(scope, denial),
  });
  const read = (
    accountId: LivePageRequest['accountId'],
    client = new AbortController(),
    scope = newScope(),
  ) =>
    fetchLivePage(
      livePages,
      {
        accountId,
        scope,
        language: 'english',
        count: 2_000,
        startAssetId: null,
        timeLeftMs: 600_000,
      },
      client.signal,
    );
  /** A read whose client leaves while the platform responds. */
  const abandon = (accountId: LivePageRequest['accountId']) => {
    const client = new AbortController();
    platform.meanwhile = () => client.abort();
    return read(accountId, client).finally(() => {
      platform.meanwhile = () => {};
    });
  };
  return { clock, platform, known, read, abandon };
}

describe('pages that clients leave while the platform responds', () => {
  it('are few in a minute: then the account has none until the next is due, and others have theirs (Errors) [rate-limit]', async () => {
    const { clock, platform, read, abandon } = openReplica();
    const [account, neighbour] = [newAccountId(), newAccountId()];
    await abandon(account);
    await read(account);
    await abandon(account);
    const { requests } = platform;

    const refused = await read(account);
    const other = await read(neighbour);
    clock.advance(30_000);
    const next = await read(account);

    expect(refused).toEqual({ result: 'abandoned_limit', retryAfterSeconds: 30 });
    expect([other.result, next.result]).toEqual(['page', 'page']);
    expect(platform.requests).toBe(requests + 2);
  });

  it.each([
    ['left the queue before they had a slot', false, page],
    ['met an egress without a connection', true, { status: 'unreachable' } as const],
  ])('do not count where they %s', async (_what, slotIsFree, response) => {
    const { platform, read, abandon } = openReplica(slotIsFree);
    platform.response = response;
    const account = newAccountId();
    for (let page = 0; page < 3; page += 1) await abandon(account);

    expect((await read(account)).result).not.toBe('abandoned_limit');
  });
});

describe('an inventory that was confirmed', () => {
  const responses = {
    private: { status: 403, body: Buffer.from('null'), retryAfterMs: null },
    not_found: { status: 404, body: null, retryAfterMs: null },
  } as const;

  it.each(['private', 'not_found'] as const)(
    '%s is the response without another request, until that is forgotten (upstream 6.5) [inventory-private-inventory-not-found]',
    async (denial) => {
      const { platform, known, read } = openReplica();
      const [client, scope] = [new AbortController(), newScope()];
      platform.response = responses[denial];
      const first = await read(newAccountId(), client, scope);
      const confirmedBy = platform.requests;
      platform.response = page;

      const remembered = await read(newAccountId(), client, scope);
      const requestedFor = platform.requests - confirmedBy;
      const other = await read(newAccountId());
      known.clear();

      expect([first, remembered]).toEqual([{ result: denial }, { result: denial }]);
      expect([confirmedBy, requestedFor]).toEqual([2, 0]);
      expect(other.result).toBe('page');
      expect((await read(newAccountId(), client, scope)).result).toBe('page');
    },
  );

  it('private is not remembered of a single response (upstream 6.6)', async () => {
    const { platform, known, read } = openReplica();
    platform.response = responses.private;
    platform.meanwhile = () => {
      if (platform.requests === 2) platform.response = page;
    };

    expect((await read(newAccountId())).result).toBe('page');
    expect(known.size).toBe(0);
  });
});
