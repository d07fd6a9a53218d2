import { stagedPageBytesMax } from '@inventory/contracts/internal/inventory';
import { startHttpServer } from '@inventory/http/http-server';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createRunningClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';

let harness: CollectorHarness;
let collector: Collector;
const clock = createRunningClock();
const requestFirstMs = 10_000;

beforeAll(async () => {
  harness = await openCollectorHarness();
  collector = await harness.startCollector({}, clock);
});
afterAll(() => harness.close());

const scopeOf = (inventory: { platformId: string; appId: number; contextId: number }) => ({
  platform_id: inventory.platformId,
  app_id: inventory.appId,
  context_id: inventory.contextId,
});
const decisions = (refreshId: string) => harness.decisions(refreshId);
const decided = (refreshId: string) =>
  waitFor('the decision is sent', () => decisions(refreshId)[0]);

describe('a refresh', () => {
  it('is accepted, collected, settled and announced though every message came twice (Refresh charge) [refresh-charge]', async () => {
    const request = await harness.request({ scope: scopeOf(sizeInventory(4_001, 1)) });

    const { record, acceptance } = await harness.completed(collector, request.refreshId);

    expect(acceptance).toEqual({ priceVersion: 1, creditsReserved: 125 });
    expect(record).toMatchObject({
      outcome: 'complete_changed',
      revisionId: `invrev_${request.refreshId}`,
      billingState: 'finalized',
      billing: {
        disposition: 'finalize_complete',
        creditsReserved: 125,
        creditsCharged: 3,
        creditsReleased: 122,
      },
    });
    expect(harness.store.committed.get(request.refreshId)).toHaveLength(4_001);
    expect(harness.ledger.resolved.filter((id) => id === request.refreshId)).toHaveLength(1);
    expect(await decided(request.refreshId)).toMatchObject({ decision: 'accepted' });
    const announced = await waitFor('it is announced', () =>
      harness.messages
        .of('refresh.completed.v1')
        .find(({ refreshId }) => refreshId === request.refreshId),
    );
    expect(announced).toMatchObject({
      scope: request.scope,
      revisionId: `invrev_${request.refreshId}`,
    });
  });

  it('reserves no more than its max_credits (Refresh: max_credits) [max-credits-too-low]', async () => {
    const request = await harness.request({ maxCredits: 180 });

    const reserve = await waitFor('the reservation is sent', () =>
      harness.messages
        .of('billing.reserve.v1')
        .find(({ refreshId }) => refreshId === request.refreshId),
    );
    expect(reserve).toMatchObject({ maxCredits: 180 });
  });

  it('is accepted by a reply of the ledger with its hold (Refresh: 202)', async () => {
    const request = await harness.request({ scope: scopeOf(sizeInventory(1, 5)) });
    await harness.completed(collector, request.refreshId);

    const hold = await waitFor('the ledger replies', () =>
      harness.messages
        .of('reply.billing-outcome.v1')
        .find(({ outcome }) => outcome?.refreshId === request.refreshId),
    );
    expect(hold).toMatchObject({
      waitingId: `waiting:${request.refreshId}`,
      deadlineAtMs: request.requestedAtMs + 1_800_000,
      retryAfterSeconds: expect.any(Number),
    });
  });

  it('funded by subscription units shows so at acceptance and settlement (Subscription funding) [subscription-meta]', async () => {
    const account_id = newAccountId();
    harness.ledger.subscribed.add(account_id);
    const scope = scopeOf(sizeInventory(2_001, 1));

    const request = await harness.request({ accountId: account_id, scope });
    const { record, acceptance } = await harness.completed(collector, request.refreshId);

    const terms = { priceVersion: 1, creditsReserved: 0, unitsReserved: 125 };
    expect(acceptance).toEqual({ ...terms, unitsRemaining: 1_000 });
    expect(await decided(request.refreshId)).toMatchObject({ decision: 'accepted', ...terms });
    expect(record.billing).toEqual({
      state: 'finalized',
      disposition: 'finalize_complete',
      creditsReserved: 0,
      creditsCharged: 0,
      creditsReleased: 0,
      funding: 'subscription',
      unitsReserved: 125,
      unitsCharged: 2,
      unitsReleased: 123,
    });
  });

  it('is completed without a charge where the ledger has no hold to settle (Settlement: charge at most the reservation) [settlement-by-outcome]', async () => {
    const logged = jest.spyOn(testLogger, 'error');
    const account_id = newAccountId();
    harness.ledger.forgetful.add(account_id);

    const request = await harness.request({
      accountId: account_id,
      scope: scopeOf(sizeInventory(1, 77)),
    });
    const { record } = await harness.completed(collector, request.refreshId);

    expect(record).toMatchObject({
      outcome: 'complete_changed',
      billingState: 'finalized',
      billing: {
        disposition: 'release',
        creditsReserved: 125,
        creditsCharged: 0,
        creditsReleased: 125,
      },
    });
    const reports = () =>
      logged.mock.calls
        .map(([fields]) => fields as { refreshId?: string })
        .filter(({ refreshId }) => refreshId === request.refreshId);
    await waitFor('the lost hold is reported', () => reports().length > 0);
    expect(reports()).toHaveLength(1);
    logged.mockRestore();
  });

  it('is refused by a spend cap, with the cap and the time of its reset (Errors: spend_cap_reached)', async () => {
    const account_id = newAccountId();
    harness.ledger.capped.add(account_id);

    const request = await harness.request({ accountId: account_id });
    await waitFor('the refusal is sent', () => decisions(request.refreshId).length > 0);

    expect(await decided(request.refreshId)).toMatchObject({
      decision: 'refused',
      refusal: {
        code: 'spend_cap_reached',
        detail: { cap: 200, spent: 176, resets_at: '2026-12-01T00:00:00.000Z' },
      },
    });
  });

  it('is refused without credits, hidden, and its key is free again (Errors: insufficient_credits)', async () => {
    const poor = await harness.request({ idempotencyKey: null });
    harness.ledger.poor.add(poor.accountId);
    const keyed = {
      accountId: poor.accountId,
      projectId: poor.projectId,
      idempotencyKey: 'k',
    };
    const refused = await harness.request(keyed);
    await waitFor('the refusal is sent', () => decisions(refused.refreshId).length > 0);
    expect(decisions(refused.refreshId)[0]).toMatchObject({
      decision: 'refused',
      refusal: { code: 'insufficient_credits', detail: { required: 125, available: 3 } },
    });

    harness.ledger.poor.delete(poor.accountId);
    const again = await harness.request({ ...keyed, scope: scopeOf(sizeInventory(1, 1)) });

    await harness.completed(collector, again.refreshId);
    const list = await fetch(`${collector.url}/projects/${poor.projectId}/refreshes?limit=100`);
    const { items } = (await list.json()) as { items: { refresh_id: string }[] };
    expect(items.map((item) => item.refresh_id)).not.toContain(refused.refreshId);
  });

  it('is one for one Idempotency-Key of a Project, however many requests come at once (Idempotency-Key)', async () => {
    const project = {
      projectId: newProjectId(),
      idempotencyKey: 'same',
      scope: scopeOf(sizeInventory(1, 2)),
    };
    const attempts = await Promise.all(Array.from({ length: 50 }, () => harness.request(project)));

    await waitFor('every attempt is answered', () =>
      attempts.every((attempt) => decisions(attempt.refreshId).length > 0),
    );

    const accepted = attempts.filter(({ refreshId }) =>
      decisions(refreshId).some(({ decision }) => decision === 'accepted'),
    );
    expect(accepted).toHaveLength(1);
    for (const attempt of attempts.filter((other) => other !== accepted[0])) {
      expect(decisions(attempt.refreshId)).toContainEqual(
        expect.objectContaining({
          decision: 'duplicate',
          winnerRefreshId: accepted[0]?.refreshId,
        }),
      );
    }
  });

  it('completes although outcomes of the ledger were lost: pending commands are resent', async () => {
    const refreshId = newRefreshId();
    harness.ledger.dropping.set(refreshId, 2);
    await harness.request({ refreshId, scope: scopeOf(sizeInventory(1, 3)) });
    await waitFor('both commands are lost', () => harness.ledger.dropping.get(refreshId) === 0);

    clock.advance(requestFirstMs);

    const { record } = await harness.completed(collector, refreshId);
    expect(record.outcome).toBe('complete_changed');
  });

  it('waits while the revision-store is unavailable, and does not fail by it', async () => {
    harness.store.away = true;
    const request = await harness.request({ scope: scopeOf(sizeInventory(1, 4)) });
    await waitFor('a page was refused', () => harness.store.refusals > 0);
    harness.store.away = false;
    const { record } = await harness.completed(collector, request.refreshId);
    expect(record.outcome).toBe('complete_changed');
  });

  it.each(['payload_too_large', 'chunk_conflict'] as const)(
    'ends at once where the revision-store refuses a page with %s, every time it would be staged (Settlement by outcome)',
    async (code) => {
      harness.store.refuses = code;
      const request = await harness.request({ scope: scopeOf(sizeInventory(1, 6)) });
      const { record } = await harness.completed(collector, request.refreshId);
      harness.store.refuses = null;

      expect(record.outcome).toBe('internal_failure');
      expect(record.billing).toMatchObject({ creditsCharged: 0, creditsReleased: 125 });
    },
  );

  it('waits where the revision-store refuses its caller, and does not fail by it', async () => {
    const refused = harness.store.refusals;
    harness.store.refuses = 'caller_not_permitted';
    const request = await harness.request({ scope: scopeOf(sizeInventory(1, 7)) });
    await waitFor('a page was refused', () => harness.store.refusals > refused);
    harness.store.refuses = null;
    const { record } = await harness.completed(collector, request.refreshId);
    expect(record.outcome).toBe('complete_changed');
  });

  it('ends where one asset alone is too large to be saved, with its reservation released (Settlement: upstream unavailable) [settlement-by-outcome]', async () => {
    const heavy = 'x'.repeat(stagedPageBytesMax);
    const page = `{"success":1,"total_inventory_count":1,"assets":[{"appid":730,"contextid":"2",
      "assetid":"1","classid":"1","amount":"1","heavy":"${heavy}"}]}`;
    const counts: (string | null)[] = [];
    const platform = await startHttpServer({
      host: '127.0.0.1',
      port: 0,
      listener: (request, response) => {
        counts.push(new URL(request.url ?? '', 'http://platform').searchParams.get('count'));
        response.writeHead(200, { 'content-type': 'application/json' }).end(page);
      },
    });
    await collector.stop();
    const bodyBytesMax = 2 * stagedPageBytesMax;
    const direct = { baseUrl: platform.url, egress: ['direct'], bodyBytesMax };
    const reading = await harness.startCollector({ platform: direct }, clock);

    const request = await harness.request();
    const { record } = await harness.completed(reading, request.refreshId);
    await reading.stop();
    await platform.close(0);
    collector = await harness.startCollector({}, clock);

    expect(record).toMatchObject({
      outcome: 'upstream_unavailable',
      billing: { disposition: 'release', creditsCharged: 0 },
    });
    expect(counts).toEqual(['2000', '1000', '500', '250', '125']);
  });

  it('is not private because one identity is blocked: it is read through another (upstream 6.6)', async () => {
    await harness.control('PUT', '/identities/egress-1', { mode: 'block_page' });
    await harness.control('PUT', '/identities/egress-2', { mode: 'firewall_html' });
    const requests = await Promise.all(
      Array.from({ length: 8 }, (_, serial) =>
        harness.request({ scope: scopeOf(sizeInventory(1, 3_000 + serial)) }),
      ),
    );
    for (const request of requests) {
      const { record } = await harness.completed(collector, request.refreshId);
      expect(record.outcome).toBe('complete_changed');
    }
    for (const identity of ['egress-1', 'egress-2']) {
      expect(await harness.control('GET', `/counters?identity=${identity}`)).toMatchObject({
        identities: { [identity]: { by_status: { 403: expect.any(Number) } } },
      });
      await harness.control('PUT', `/identities/${identity}`, { mode: 'normal' });
    }
  });

  it('drops a command past its deadline, before anything is stored', async () => {
    const old = Date.now() - 11 * 60_000;
    const late = await harness.request({ requestedAtMs: old });
    const next = await harness.request({ scope: scopeOf(sizeInventory(1, 5)) });
    await harness.completed(collector, next.refreshId);
    const response = await fetch(`${collector.url}/refreshes/${late.refreshId}`);
    expect(response.status).toBe(404);
  });
});

describe('cancel', () => {
  const cancelReplies = (refreshId: string) =>
    harness.messages.of('reply.refresh-cancel.v1').filter((reply) => reply.refreshId === refreshId);

  it('ends a collecting refresh with its whole reservation released (Settlement: cancelled) [cancel]', async () => {
    harness.store.away = true;
    const request = await harness.request({ scope: scopeOf(sizeInventory(1, 8)) });
    await waitFor('it is collecting', async () => {
      const seen = await harness.view(collector, request.refreshId).catch(() => undefined);
      return seen?.record.state === 'collecting';
    });

    await harness.cancel(request);
    const { record } = await harness.completed(collector, request.refreshId);
    harness.store.away = false;

    expect(record).toMatchObject({
      outcome: 'cancelled',
      revisionId: null,
      billing: { disposition: 'release', creditsCharged: 0, creditsReleased: 125 },
    });
    const reply = await waitFor('it is answered', () => cancelReplies(request.refreshId)[0]);
    expect(reply).toMatchObject({ result: 'cancelling' });
    expect(harness.store.committed.has(request.refreshId)).toBe(false);
  });

  it('of a completed refresh is answered as such and changes nothing (Errors: refresh_already_completed)', async () => {
    const request = await harness.request({ scope: scopeOf(sizeInventory(1, 6)) });
    const before = await harness.completed(collector, request.refreshId);
    await harness.cancel(request);
    await waitFor('it is answered', () => cancelReplies(request.refreshId).length > 0);
    expect(cancelReplies(request.refreshId)[0]).toMatchObject({ result: 'already_completed' });
    expect((await harness.view(collector, request.refreshId)).record).toEqual(before.record);
  });

  it('that overtakes its request leaves a tombstone: the request is refused and reserves nothing', async () => {
    const project = newProjectId();
    const request = await harness.request({ projectId: project });
    const ghost = {
      ...request,
      refreshId: request.refreshId.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    };
    await harness.cancel(ghost);
    await waitFor('it is answered', () => cancelReplies(ghost.refreshId).length > 0);
    await harness.request(ghost);
    await harness.completed(collector, request.refreshId);
    expect(harness.ledger.outcomes.has(`reserve:${ghost.refreshId}`)).toBe(false);
  });

  it('of another Project is not found and does nothing', async () => {
    const request = await harness.request({ scope: scopeOf(sizeInventory(1, 7)) });
    await harness.cancel({ ...request, projectId: newProjectId() });
    await waitFor('it is answered', () => cancelReplies(request.refreshId).length > 0);
    expect(cancelReplies(request.refreshId)[0]).toMatchObject({ result: 'not_found' });
    const { record } = await harness.completed(collector, request.refreshId);
    expect(record.outcome).toBe('complete_changed');
  });
});
