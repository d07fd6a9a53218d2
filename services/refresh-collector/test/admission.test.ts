import { type ServiceStatus, serviceStatus } from '@inventory/contracts/http/status';
import {
  type AdmissionView,
  type AttemptView,
  admissionView,
  refreshApi,
} from '@inventory/contracts/internal/refresh';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { createRunningClock, createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';

let harness: CollectorHarness;
let collector: Collector;

const limit = 10;
const limits = { admission: { outstandingMax: limit, outstandingPerAccountMax: 4 } };

beforeAll(async () => {
  harness = await openCollectorHarness();
});
afterEach(() => harness.stopCollectors());
afterAll(() => harness.close());

let serial = 0;
const scope = (appId = 730) => {
  serial += 1;
  const { platformId, contextId } = sizeInventory(1, serial, appId);
  return { platform_id: platformId, app_id: appId, context_id: contextId };
};
const inventoryOf = ({ platform_id, app_id, context_id }: ReturnType<typeof scope>) => ({
  platform_id,
  app_id: String(app_id),
  context_id: String(context_id),
});
const untilState = (refreshId: string, state: string) =>
  waitFor(`${refreshId} is ${state}`, async () => {
    const { record } = await harness.view(collector, refreshId);
    return record.state === state;
  });
/** Sent once: what comes again is counted for a moment, and limits this small would notice. */
const request = (fields: Parameters<CollectorHarness['request']>[0]) => harness.request(fields, 1);
const decision = (refreshId: string) =>
  waitFor(`${refreshId} is decided`, () => harness.decisions(refreshId)[0]);
const admission = async (change?: { operator_closed: boolean }): Promise<AdmissionView> => {
  const headers = { 'content-type': 'application/json' };
  const init = change && { method: 'PUT', headers, body: JSON.stringify(change) };
  return admissionView.parse(await (await fetch(`${collector.url}/admission`, init)).json());
};
const status = async (): Promise<ServiceStatus> =>
  serviceStatus.parse(await (await fetch(`${collector.url}/status`)).json());
async function fillUp(count: number) {
  const requests = [];
  for (let index = 0; index < count; index += 1) requests.push(await request({ scope: scope() }));
  for (const { refreshId } of requests) await decision(refreshId);
  return requests;
}

describe('status', () => {
  it('states that a quarter of an hour is measured where nothing ended, and that those before the first start are not (Status) [status-page]', async () => {
    collector = await harness.startCollector();

    const quarters = await waitFor('the present one is measured', async () => {
      const { quarterHours } = await status();
      return quarterHours.at(-1)?.measured && quarterHours;
    });

    expect(quarters.at(-1)).toMatchObject({ completed: 0, failed: 0, waitP50Seconds: null });
    // All but the two that a start at the end of one can be in.
    expect(quarters.slice(0, -2).filter(({ measured }) => measured)).toEqual([]);
  });

  it('counts what ended on every replica, each end once, and keeps it when they stop (Status) [status-page]', async () => {
    const ended = async () => {
      const { quarterHours } = await status();
      return quarterHours.reduce((sum, { completed }) => sum + completed, 0);
    };
    collector = await harness.startCollector();
    const other = await harness.startCollector();
    const requested = await Promise.all([1, 2, 3].map(() => harness.request({ scope: scope() })));
    for (const { refreshId } of requested) await harness.completed(other, refreshId);
    await harness.stopCollectors();

    collector = await harness.startCollector();
    const { admission: shown, quarterHours: quarters, ...rest } = await status();

    expect(await ended()).toBe(3);
    expect(quarters).toHaveLength(97);
    expect(quarters.some(({ waitP50Seconds: p50 }) => p50 !== null)).toBe(true);
    expect(shown).toEqual({ state: 'open', reason: null });
    expect(JSON.stringify(rest)).not.toContain(requested[0]?.accountId);
  });
});

describe('admission', () => {
  it('closes at the global number of outstanding refreshes and reopens below it (Refresh: Admission) [product-unavailable, admission-latch]', async () => {
    collector = await harness.startCollector(limits);
    // Assemblies without an end: what is admitted stays outstanding.
    harness.store.hold();
    const running = await fillUp(limit);
    await waitFor('all are counted', async () => (await admission()).outstanding === limit);
    const refused = await request({ scope: scope() });
    expect(await decision(refused.refreshId)).toMatchObject({
      decision: 'refused',
      refusal: {
        code: 'product_unavailable',
        detail: { admission_state: 'closed', reason: 'global_outstanding_closed' },
      },
    });

    await harness.store.release();
    for (const { refreshId } of running) await harness.completed(collector, refreshId);
    await waitFor('it is open again', async () => (await admission()).state === 'open');
    const admitted = await request({ scope: scope() });
    expect(await decision(admitted.refreshId)).toMatchObject({ decision: 'accepted' });
    await harness.completed(collector, admitted.refreshId);
  });

  it('lets a replay through a closed door (Idempotency-Key: a replay gets through) [order-of-checks]', async () => {
    collector = await harness.startCollector();
    const key = { projectId: newProjectId(), idempotencyKey: 'k', scope: scope() };
    const first = await request(key);
    await harness.completed(collector, first.refreshId);
    await admission({ operator_closed: true });
    const replay = await request(key);
    expect(await decision(replay.refreshId)).toMatchObject({
      decision: 'duplicate',
      winnerRefreshId: first.refreshId,
    });
    await admission({ operator_closed: false });
  });

  it('says what an attempt would meet, the key first, and counts nothing (Order of checks) [order-of-checks]', async () => {
    collector = await harness.startCollector({
      admission: { outstandingMax: limit, outstandingPerAccountMax: 1 },
    });
    const key = { projectId: newProjectId(), idempotencyKey: 'k &?', scope: scope() };
    const first = await request(key);
    await harness.completed(collector, first.refreshId);
    const look = async (idempotencyKey?: string): Promise<AttemptView> => {
      const query = new URLSearchParams({
        account_id: newAccountId(),
        ...inventoryOf(scope()),
        ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      });
      const url = `${collector.url}/projects/${key.projectId}/attempt?${query}`;
      return refreshApi.readAttempt.response.parse(await (await fetch(url)).json());
    };

    const open = [await look('k &?'), await look('other'), await look(), await look()];
    await admission({ operator_closed: true });
    const closed = [await look('k &?'), await look('other')];
    await admission({ operator_closed: false });

    const free = { isKnownKey: false, refusal: null, isSaved: false };
    expect(open).toEqual([{ ...free, isKnownKey: true }, free, free, free]);
    expect(closed).toEqual([
      { ...free, isKnownKey: true },
      { ...free, refusal: expect.objectContaining({ code: 'product_unavailable' }) },
    ]);
  });

  it('is closed and opened by an operator, on every replica (Operating surface) [operator-api]', async () => {
    const both = await Promise.all([harness.startCollector(), harness.startCollector()]);
    const [, other] = both;
    [collector] = both;
    expect(await admission({ operator_closed: true })).toMatchObject({
      state: 'closed',
      reason: 'operator_closed',
    });
    await waitFor('the other replica reads it', async () => {
      const view = admissionView.parse(await (await fetch(`${other.url}/admission`)).json());
      return view.operatorClosed;
    });
    // Soon both have it: whichever of them gets the next request.
    await waitFor('requests are refused', async () => {
      const refused = await request({ scope: scope() });
      const { decision: decided } = await decision(refused.refreshId);
      return decided === 'refused';
    });
    expect(await admission({ operator_closed: false })).toMatchObject({ state: 'open' });
  });

  it('limits the outstanding refreshes of one account, and no other one by it (Errors: outstanding_limit_exceeded) [outstanding-limit-of-an-account]', async () => {
    // The clock is fixed: the count of an account stays valid.
    const perAccount = { admission: { outstandingPerAccountMax: 4 } };
    collector = await harness.startCollector(perAccount, createTestClock(Date.now()));
    harness.store.hold();
    const account = newAccountId();
    const own = await Promise.all(
      Array.from({ length: 7 }, () => request({ accountId: account, scope: scope() })),
    );
    const decisions = await Promise.all(own.map(({ refreshId }) => decision(refreshId)));
    expect(decisions.filter((reply) => reply.decision === 'accepted')).toHaveLength(4);
    expect(decisions.find((reply) => reply.decision === 'refused')).toMatchObject({
      refusal: {
        code: 'outstanding_limit_exceeded',
        detail: { limit: 'account_count', outstanding_max: 4 },
      },
    });
    const other = await request({ scope: scope() });
    expect(await decision(other.refreshId)).toMatchObject({ decision: 'accepted' });
    await harness.store.release();
  });

  it('closes for an application whose servers are down, and for no other (upstream 6.20)', async () => {
    collector = await harness.startCollector();
    const failure = { kind: 'eresult', code: 20 };
    await harness.control('POST', '/faults', { failure, app_id: 440 });
    const failing = await Promise.all(
      Array.from({ length: 4 }, () => request({ scope: scope(440) })),
    );
    await waitFor('the breaker opens', async () => {
      const requested = await request({ scope: scope(440) });
      const reply = await decision(requested.refreshId);
      return (
        reply.decision === 'refused' &&
        reply.refusal.code === 'product_unavailable' &&
        reply.refusal.detail.reason === 'platform_unavailable'
      );
    });
    const other = await request({ scope: scope(730) });
    expect(await decision(other.refreshId)).toMatchObject({ decision: 'accepted' });
    expect(failing).toHaveLength(4);
    expect((await status()).circuitBreakers).toEqual([
      { appId: 440, state: 'open', openUntilMs: expect.any(Number) },
    ]);
    await harness.control('DELETE', '/faults');
  });
});

describe('deadlines', () => {
  const hourMs = 3_600_000;

  it('end a refresh that waited too long in the queue as upstream unavailable (Refresh: Deadlines)', async () => {
    const clock = createRunningClock();
    const noScans = { scheduling: { scansMax: 0, scansPerAccountMax: 0 } };
    collector = await harness.startCollector(noScans, clock);
    const requested = await request({ scope: scope() });
    await untilState(requested.refreshId, 'queued');

    clock.advance(hourMs / 2);

    const { record } = await harness.completed(collector, requested.refreshId);
    expect(record).toMatchObject({
      outcome: 'upstream_unavailable',
      billing: { disposition: 'release', creditsCharged: 0, creditsReleased: 125 },
    });
  });

  it('end a scan that collected too long as incomplete, its pages dropped (Refresh: Deadlines) [only-complete-scans]', async () => {
    const clock = createRunningClock();
    const stuck = { pages: { count: 10, smallerCount: 10, triesMax: 1_000_000 } };
    collector = await harness.startCollector(stuck, clock);
    const { platformId, appId, contextId } = sizeInventory(100, 9);
    await harness.failPages({ platform_id: platformId, page: 3 });
    const requested = await request({
      scope: { platform_id: platformId, app_id: appId, context_id: contextId },
    });
    await waitFor('page 3 was requested', async () => {
      const counters = await harness.control('GET', `/counters?platform_id=${platformId}`);
      const { accounts } = counters as { accounts: Record<string, { requests: number }> };
      return (accounts[platformId]?.requests ?? 0) >= 3;
    });

    clock.advance(hourMs);

    const { record } = await harness.completed(collector, requested.refreshId);
    expect(record).toMatchObject({ outcome: 'incomplete', billing: { creditsReleased: 125 } });
    expect(harness.store.manifests.has(requested.refreshId)).toBe(false);
  });
});
