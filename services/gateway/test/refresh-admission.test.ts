import { refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import { refreshRecord } from '@inventory/contracts/http/refresh';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { detailOf, type RefreshRefusal, retryAfterOf } from '@inventory/contracts/refusal';
import type { admissionReason } from '@inventory/contracts/vocabulary';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import type { z } from 'zod';
import { standardDeadlines } from '../src/deadlines.ts';
import type { ApiResponse } from './support/api-call.ts';
import { accepted, completedView, refused, viewOf } from './support/fake-collector.ts';
import { world } from './support/file-world.ts';
import { refreshPathOf, statusPathOf } from './support/paths.ts';
import { patientDeadlines } from './support/patience.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

let gateway: TestGateway;
let other: TestGateway;
let keysMinted = 0;

beforeAll(async () => {
  [gateway, other] = await Promise.all([startTestGateway(world), startTestGateway(world)]);
});

interface Post {
  readonly key: string;
  readonly idempotencyKey?: string;
  readonly body?: unknown;
  readonly scope?: ReturnType<typeof newScope>;
  readonly via?: TestGateway;
}

function newIdempotencyKey(): string {
  keysMinted += 1;
  return `key ${keysMinted}`;
}

function post({ key, idempotencyKey, body, scope = newScope(), via = gateway }: Post) {
  return via.call({
    method: 'POST',
    path: refreshPathOf(scope),
    key,
    body: body ?? { max_credits: 125 },
    headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  });
}

const commandsOf = (project: string) =>
  world.collector.requests.filter(({ projectId }) => projectId === project);

test('an accepted refresh is answered 202 with its record, terms, Location and Retry-After [post-refresh]', async () => {
  const { key, principal } = world.issue();
  const scope = newScope();

  const response = await post({ key, scope, body: { max_credits: 500, language: 'german' } });

  expect(response.status).toBe(202);
  const record = asSent(refreshRecord, response.json.data);
  expect(record).toMatchObject({
    scope,
    state: 'queued',
    completed_at: null,
    outcome: null,
    revision_id: null,
    billing_state: 'reserved',
    billing_disposition: null,
    billing: {
      state: 'reserved',
      disposition: null,
      credits_reserved: 125,
      credits_charged: null,
      credits_released: null,
    },
  });
  expect(record.deadline_at).not.toBeNull();
  expect(response.headers.location).toBe(statusPathOf(record.refresh_id));
  expect(response.headers['retry-after']).toBe(String(accepted.retryAfterSeconds));
  expect(response.headers['idempotency-replayed']).toBeUndefined();
  expect(asSent(refreshAcceptanceMeta, response.json.meta)).toMatchObject({
    product_code: 'platform.inventory.refresh.v1',
    price_version: 1,
    credits_reserved: 125,
    billing_disposition: 'reserved',
  });
  expect(commandsOf(principal.projectId)).toEqual([
    {
      refreshId: record.refresh_id,
      accountId: principal.accountId,
      credentialId: principal.credentialId,
      projectId: principal.projectId,
      requestId: response.json.meta.request_id,
      idempotencyKey: null,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope,
      language: 'german',
      maxCredits: 500,
      requestedAtMs: Date.parse(record.requested_at),
      freshness: null,
      watchId: null,
    },
  ]);
});

test('an acceptance is answered by the decision alone: the collector is not read for it [post-refresh]', async () => {
  const { key } = world.issue();
  // It decides, and knows nothing of the refresh when it is asked over HTTP.
  world.collector.decide = () => accepted;

  const response = await post({ key });

  expect(response.status).toBe(202);
  expect(asSent(refreshRecord, response.json.data).deadline_at).not.toBeNull();
});

test('a decision that arrives twice is one decision [post-refresh]', async () => {
  const { key, principal } = world.issue();
  world.collector.repliesPerDecision = 3;

  const responses = [await post({ key }), await post({ key })];

  expect(responses.map(({ status }) => status)).toEqual([202, 202]);
  expect(commandsOf(principal.projectId)).toHaveLength(2);
});

const month = { cap: 500, spent: 480, resets_at: '2026-12-01T00:00:00.000Z' };

const closed = (
  reason: z.infer<typeof admissionReason>,
  retry_after_seconds: number,
  more = {},
) => {
  const detail = { admission_state: 'closed', reason, ...more } as const;
  return { code: 'product_unavailable', detail, retry_after_seconds } as const;
};
const share = { limit: 'account_share', outstanding_max: 1_000 } as const;
const refusals: readonly [RefreshRefusal, number][] = [
  [{ code: 'insufficient_credits', detail: { required: 125, available: 7 } }, 402],
  [{ code: 'insufficient_units', detail: { required: 125, available: 0 } }, 402],
  [{ code: 'spend_cap_reached', detail: month }, 402],
  [{ code: 'outstanding_limit_exceeded', detail: share, retry_after_seconds: 9 }, 429],
  [closed('global_outstanding_closed', 17), 503],
  [closed('inventory_too_large', 5, { pages_max: 90 }), 503],
  [closed('operator_closed', 60), 503],
];

test.each(refusals)(
  'a refusal %j has its code and leaves the key free (Refresh: key) [a-rejected-admission]',
  async (refusal, status) => {
    const { key } = world.issue();
    const idempotencyKey = newIdempotencyKey();
    const scope = newScope();
    world.collector.decide = () => refused(refusal);

    const response = await post({ key, idempotencyKey, scope });

    expect(response.status).toBe(status);
    expect(response.json.error).toMatchObject({ code: refusal.code, detail: detailOf(refusal) });
    const retryAfter = retryAfterOf(refusal);
    expect(response.headers['retry-after']).toBe(retryAfter === null ? undefined : `${retryAfter}`);
    expect(response.json.meta).toMatchObject({
      product_code: 'platform.inventory.refresh.v1',
      price_version: 1,
      credits_charged: 0,
      rate_limit: expect.anything(),
    });
    world.reset();
    const again = await post({ key, idempotencyKey, scope });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([202, undefined]);
  },
);

test('50 parallel posts of one key, over two gateways, are one refresh', async () => {
  const { key, principal } = world.issue();
  const idempotencyKey = newIdempotencyKey();
  const scope = newScope();

  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      post({ key, idempotencyKey, scope, via: index % 2 === 0 ? gateway : other }),
    ),
  );

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(responses.map(({ json }) => json.data.refresh_id)).size).toBe(1);
  expect(new Set(responses.map(({ headers }) => headers.location)).size).toBe(1);
  expect(new Set(responses.map(({ json }) => json.meta.request_id)).size).toBe(50);
  const isReplay = ({ headers }: ApiResponse) => headers['idempotency-replayed'] === 'true';
  expect(responses.filter(isReplay)).toHaveLength(49);
  // Every attempt had an id of its own, and all had the same inputs.
  const commands = commandsOf(principal.projectId);
  expect(new Set(commands.map(({ refreshId }) => refreshId)).size).toBe(50);
  expect(new Set(commands.map(({ fingerprint }) => fingerprint)).size).toBe(1);
});

test('a replay shows the record as it is now and the terms as at acceptance [replay]', async () => {
  const { key } = world.issue();
  const idempotencyKey = newIdempotencyKey();
  const scope = newScope();
  const first = await post({ key, idempotencyKey, scope });
  const id = first.json.data.refresh_id;
  const view = world.collector.views.get(id);
  if (view) world.collector.views.set(id, completedView(view));

  const replay = await post({
    key,
    idempotencyKey,
    scope,
    body: { max_credits: 125, language: 'english' },
  });

  expect(replay.status).toBe(202);
  expect(replay.headers).toMatchObject({
    'idempotency-replayed': 'true',
    location: statusPathOf(id),
  });
  expect(replay.headers['retry-after']).toBeUndefined();
  expect(replay.json.data).toMatchObject({
    refresh_id: id,
    state: 'completed',
    outcome: 'complete_changed',
  });
  expect(replay.json.meta).toMatchObject({
    credits_reserved: 125,
    billing_disposition: 'reserved',
  });
  expect(replay.json.meta.request_id).not.toBe(first.json.meta.request_id);
});

test.each([
  ['language', { max_credits: 125, language: 'german' }, {}],
  ['max_credits', { max_credits: 126 }, {}],
  ['app_id', { max_credits: 125 }, { app_id: 440 }],
  ['context_id', { max_credits: 125 }, { context_id: 6 }],
])('a key used again with another %s is a conflict', async (_input, body, changed) => {
  const { key } = world.issue();
  const idempotencyKey = newIdempotencyKey();
  const scope = newScope();
  await post({ key, idempotencyKey, scope });

  const response = await post({ key, idempotencyKey, scope: { ...scope, ...changed }, body });

  expect([response.status, response.json.error.code]).toEqual([409, 'idempotency_conflict']);
});

test('Projects do not share keys', async () => {
  const idempotencyKey = newIdempotencyKey();
  const scope = newScope();
  const one = await post({ key: world.issue().key, idempotencyKey, scope });
  const two = await post({ key: world.issue().key, idempotencyKey, scope });

  expect([one.status, two.status]).toEqual([202, 202]);
  expect(two.json.data.refresh_id).not.toBe(one.json.data.refresh_id);
});

describe('while the first request with a key is undecided [undecided]', () => {
  /** Another attempt holds the key and is undecided. */
  function holdKey(overrides: Parameters<typeof viewOf>[1]) {
    let winner: string | undefined;
    world.collector.decide = (request) => {
      winner ??= request.refreshId;
      if (!world.collector.views.has(winner)) {
        world.collector.views.set(winner, viewOf(request, overrides));
      }
      return { decision: 'duplicate', winnerRefreshId: winner };
    };
    return () => winner ?? '';
  }

  test('a further one waits 2 s and then gets idempotency_in_progress with Retry-After 1', async () => {
    const { undecidedRefreshMs } = standardDeadlines;
    const deadlines = { ...patientDeadlines, undecidedRefreshMs };
    const via = await startTestGateway(world, { deadlines });
    const { key } = world.issue();
    const winner = holdKey({ decision: 'pending', acceptance: null });
    const startMs = performance.now();

    const response = await post({ key, idempotencyKey: newIdempotencyKey(), via });

    expect([response.status, response.json.error.code]).toEqual([409, 'idempotency_in_progress']);
    expect(response.headers['retry-after']).toBe('1');
    // Never sooner, and never read more often: a slow machine is later, and reads less often.
    expect(performance.now() - startMs).toBeGreaterThan(1_500);
    expect(world.collector.reads.get(winner())).toBeLessThanOrEqual(21);
    await via.stop();
  });

  test('a further one gets the acceptance as soon as it is made', async () => {
    const { key } = world.issue();
    const winner = holdKey({ decision: 'pending', acceptance: null });
    const asking = post({ key, idempotencyKey: newIdempotencyKey() });
    await waitFor('it is read undecided', () => world.collector.reads.has(winner()));
    const view = world.collector.views.get(winner()) as RefreshView;
    const acceptance = { priceVersion: 4, creditsReserved: 125 };
    world.collector.views.set(winner(), { ...view, decision: 'accepted', acceptance });

    const response = await asking;

    expect(response.json.data.refresh_id).toBe(winner());
    expect(response.json.meta.price_version).toBe(4);
  });

  test('a further one gets the same refusal', async () => {
    const { key } = world.issue();
    holdKey({
      decision: 'refused',
      acceptance: null,
      refusal: { code: 'insufficient_credits', detail: { required: 125, available: 3 } },
    });

    const response = await post({ key, idempotencyKey: newIdempotencyKey() });

    expect([response.status, response.json.error.code]).toEqual([402, 'insufficient_credits']);
  });

  test('a further one with other inputs is a conflict at once', async () => {
    const { key } = world.issue();
    holdKey({ decision: 'pending', acceptance: null, fingerprint: 'f'.repeat(64) });

    const response = await post({ key, idempotencyKey: newIdempotencyKey() });

    expect(response.json.error.code).toBe('idempotency_conflict');
  });
});

test('an attempt that was cancelled before its admission may be tried again at once [cancel]', async () => {
  const { key } = world.issue();
  world.collector.decide = () => refused({ code: 'service_unavailable', retry_after_seconds: 1 });

  const response = await post({ key });

  expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
  expect(response.json.error.detail).toBeUndefined();
});

describe('an account without funds in a loop', () => {
  async function openEmptyAccount() {
    const { key, principal } = world.issue();
    const held = { scope: newScope(), key, idempotencyKey: newIdempotencyKey() };
    const first = await post(held);
    world.ledger.setBalance(principal.accountId, 0);
    world.collector.decide = () =>
      refused({ code: 'insufficient_credits', detail: { required: 125, available: 0 } });
    expect((await post({ key })).status).toBe(402);
    world.collector.reset();
    return { key, principal, held, first };
  }

  test('is refused again without a command, until a refresh can be paid (Errors: 402) [insufficient-credits-insufficient-units, a-rejected-admission]', async () => {
    const { key, principal } = await openEmptyAccount();
    const before = commandsOf(principal.projectId).length;

    const responses = [];
    for (const idempotencyKey of [undefined, newIdempotencyKey(), newIdempotencyKey()]) {
      responses.push(await post(idempotencyKey === undefined ? { key } : { key, idempotencyKey }));
    }
    const commandsMeanwhile = commandsOf(principal.projectId).length - before;
    world.ledger.setBalance(principal.accountId, 125);
    const paid = await post({ key });

    expect(responses.map(({ status, json }) => [status, json.error.detail])).toEqual(
      Array(3).fill([402, { required: 125, available: 0 }]),
    );
    expect(commandsMeanwhile).toBe(0);
    expect(paid.status).toBe(202);
  });

  test('is left to the ledger while its key cannot be looked up', async () => {
    const { key } = await openEmptyAccount();
    world.collector.http.isDown = true;

    expect((await post({ key })).status).toBe(202);
  });

  test('has its replays, and is refused by a closed admission first (Order of checks) [order-of-checks, idempotency-key]', async () => {
    const { key, held, first } = await openEmptyAccount();
    world.collector.admission = {
      code: 'product_unavailable',
      detail: { admission_state: 'closed', reason: 'operator_closed' },
      retry_after_seconds: 60,
    };

    const replay = await post(held);
    const closed = await post({ key, idempotencyKey: newIdempotencyKey() });

    expect([replay.status, replay.json.data.refresh_id]).toEqual([202, first.json.data.refresh_id]);
    expect([closed.status, closed.json.error.code]).toEqual([503, 'product_unavailable']);
  });
});

test('max_credits below the reservation is refused before any work, with the minimum [max-credits-too-low]', async () => {
  const { key, principal } = world.issue();
  for (const max_credits of [124, 0, -5]) {
    const response = await post({ key, body: { max_credits } });

    expect([response.status, response.json.error.code]).toEqual([422, 'max_credits_too_low']);
    expect(response.json.error.detail).toEqual({ minimum: 125 });
  }
  expect(commandsOf(principal.projectId)).toEqual([]);
});
