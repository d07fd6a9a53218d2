import { requestIssue } from '@inventory/contracts/http/meta';
import { batchItemsMax, refreshBatchResults } from '@inventory/contracts/http/refresh-batch';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { z } from 'zod';
import { gateway, world } from './support/clocked-gateway.ts';
import { accepted, refused } from './support/fake-collector.ts';
import { refreshPathOf } from './support/paths.ts';
import { startTestGateway } from './support/test-gateway.ts';

const path = '/v2/platform/inventory-refreshes/batch';
let keys = 0;

function item(overrides: Record<string, unknown> = {}) {
  keys += 1;
  return { ...newScope(), max_credits: 125, idempotency_key: `key ${keys}`, ...overrides };
}

const send = (key: string, items: unknown, at = gateway) =>
  at.call({ method: 'POST', path, key, body: { items } });

const resultsOf = (response: Awaited<ReturnType<typeof send>>) =>
  asSent(refreshBatchResults, response.json.data).items;

test('every item has its own result, in the order of the request (Batch) [batch]', async () => {
  const { key } = world.issue();
  world.collector.decide = (request) =>
    request.scope.app_id === 440
      ? refused({ code: 'insufficient_credits', detail: { required: 125, available: 3 } })
      : accepted;
  const items = [item(), item({ app_id: 440 }), item({ max_credits: 124 }), item()];

  const response = await send(key, items);

  expect(response.status).toBe(200);
  const results = resultsOf(response);
  expect(results.map(({ idempotency_key }) => idempotency_key)).toEqual(
    items.map(({ idempotency_key }) => idempotency_key),
  );
  expect(results.map(({ status }) => status)).toEqual([202, 402, 422, 202]);
  expect(results[1]).toMatchObject({
    result: 'refused',
    success: false,
    error: { code: 'insufficient_credits', detail: { required: 125, available: 3 } },
  });
  expect(results[2]).toMatchObject({
    error: { code: 'max_credits_too_low', detail: { minimum: 125 } },
  });
  expect(results[3]).toMatchObject({
    result: 'accepted',
    success: true,
    idempotency_replayed: false,
    retry_after_seconds: 7,
    data: { state: 'queued', scope: { platform_id: items[3]?.platform_id } },
    meta: { credits_reserved: 125, billing_disposition: 'reserved', price_version: 1 },
  });
});

test('an item that a saved observation answers has status 200 and no Retry-After (Freshness) [max-age-seconds, batch]', async () => {
  const { key } = world.issue();
  world.collector.decide = ({ freshness }) =>
    freshness === null
      ? accepted
      : {
          decision: 'saved',
          priceVersion: 1,
          revisionId: 'invrev_0198c0de-0000-7000-8000-000000000003',
          verifiedAtMs: Date.parse('2026-01-15T09:58:31.000Z'),
          completedAtMs: Date.parse('2026-01-15T10:00:00.012Z'),
        };

  const results = resultsOf(
    await send(key, [item({ max_age_seconds: 60 }), item(), item({ max_age_seconds: 86_401 })]),
  );

  expect(results).toMatchObject([
    {
      status: 200,
      retry_after_seconds: null,
      data: { served_from: 'saved', state: 'completed' },
      meta: { credits_reserved: 0, billing_disposition: 'not_charged' },
    },
    { status: 202, retry_after_seconds: 7, data: { served_from: 'scan' } },
    { status: 422, error: { detail: { issues: [{ field: 'items.2.max_age_seconds' }] } } },
  ]);
});

test('single and batch refreshes share one key space and one fingerprint (Refresh)', async () => {
  const { key } = world.issue();
  const first = item();
  const { platform_id, app_id, context_id, idempotency_key } = first;
  const single = await gateway.call({
    method: 'POST',
    path: refreshPathOf({ platform_id, app_id, context_id }),
    key,
    headers: { 'Idempotency-Key': idempotency_key },
    body: { max_credits: 125 },
  });

  const [replayed, conflicting, again] = resultsOf(
    await send(key, [first, { ...first, max_credits: 126 }, { ...first, language: 'english' }]),
  );

  expect(replayed).toMatchObject({
    status: 202,
    idempotency_replayed: true,
    location: single.headers.location,
    data: { refresh_id: single.json.data.refresh_id },
  });
  expect(conflicting).toMatchObject({ status: 409, error: { code: 'idempotency_conflict' } });
  expect(again).toMatchObject({ status: 202, idempotency_replayed: true });
});

test('a batch sent again finds every refresh of the first (Batch) [batch]', async () => {
  const { key } = world.issue();
  const items = Array.from({ length: batchItemsMax }, () => item());
  const idsOf = (response: Awaited<ReturnType<typeof send>>) =>
    resultsOf(response).map((result) => result.success && result.data.refresh_id);

  const first = idsOf(await send(key, items));
  const second = await send(key, items);

  expect(idsOf(second)).toEqual(first);
  expect(new Set(first).size).toBe(batchItemsMax);
  expect(resultsOf(second).every((result) => result.success && result.idempotency_replayed)).toBe(
    true,
  );
});

test('one key twice in a batch is one refresh', async () => {
  const { key } = world.issue();
  const twice = item();

  const [first, second] = resultsOf(await send(key, [twice, twice]));

  expect(first).toMatchObject({ success: true, idempotency_replayed: false });
  expect(second).toMatchObject({ success: true, idempotency_replayed: true });
});

test('counts one request per item, all or none (Reads: rate limit)', async () => {
  const { key } = world.issue({ requestsPerMinute: 10 });
  const asked = world.collector.requests.length;

  const fits = await send(key, [item(), item(), item(), item()]);
  const refusedWhole = await send(
    key,
    Array.from({ length: 6 }, () => item()),
  );
  const last = await send(
    key,
    Array.from({ length: 5 }, () => item()),
  );

  expect(fits.json.meta.rate_limit.remaining).toBe(6);
  expect(fits.headers.ratelimit).toContain('r=6');
  expect(refusedWhole.status).toBe(200);
  expect(last.status).toBe(429);
  expect(world.collector.requests.length).toBe(asked + 10);
});

test('a batch that does not fit starts nothing and consumes only its arrival', async () => {
  const { key } = world.issue({ requestsPerMinute: 10 });
  const asked = world.collector.requests.length;

  const tooMany = await send(
    key,
    Array.from({ length: 11 }, () => item()),
  );
  const fits = await send(
    key,
    Array.from({ length: 9 }, () => item()),
  );

  expect(tooMany.json.error).toMatchObject({
    code: 'rate_limit_exceeded',
    detail: { limit_per_minute: 10, remaining: 9, required: 10 },
  });
  expect(tooMany.headers['retry-after']).toBeDefined();
  expect(fits.status).toBe(200);
  expect(world.collector.requests.length).toBe(asked + 9);
});

test.each([
  ['no items', []],
  ['too many', Array.from({ length: batchItemsMax + 1 }, () => item())],
])('%s: the whole batch is refused before anything starts', async (_what, items) => {
  const asked = world.collector.requests.length;

  const response = await send(world.issue().key, items);

  expect(response.status).toBe(422);
  expect(response.json.error.code).toBe('invalid_request');
  expect(response.json.error.detail.issues[0].field).toMatch(/^items/);
  expect(world.collector.requests.length).toBe(asked);
});

test('an invalid item is refused alone, whatever is wrong with it (Batch) [batch]', async () => {
  const { key } = world.issue();
  const items = [
    item({ idempotency_key: undefined }),
    item({ priority: 1 }),
    item({ app_id: 'first' }),
    item({ language: 'klingon' }),
    item(),
    'nothing',
    null,
  ];

  const results = resultsOf(await send(key, items));

  expect(results.map(({ status }) => status)).toEqual([422, 422, 422, 422, 202, 422, 422]);
  const details = results.flatMap((one) => (one.success ? [] : [one.error.detail]));
  const fields = details.map((detail) => z.array(requestIssue).parse(detail?.['issues'])[0]?.field);
  expect(fields).toEqual([
    ...['items.0.idempotency_key', 'items.1.priority', 'items.2.app_id', 'items.3.language'],
    ...['items.5', 'items.6'],
  ]);
});

test('a full batch of the longest keys fits the body limit, and more does not', async () => {
  const { key } = world.issue();
  const longest = (n: number) => item({ idempotency_key: `${n}`.padEnd(255, 'k') });
  const full = await send(
    key,
    Array.from({ length: batchItemsMax }, (_, n) => longest(n)),
  );
  const padded = await gateway.call({
    method: 'POST',
    path,
    key,
    body: `${JSON.stringify({ items: [item()] })}${' '.repeat(64 * 1024)}`,
  });

  expect(full.status).toBe(200);
  expect(padded.status).toBe(413);
});

test('an undecided item does not spoil the others, and is found again by its key [undecided]', async () => {
  // The command is written, and its acknowledgement is lost.
  const forgetful = await startTestGateway(world, {
    wrongBus: ({ publish }) => ({
      async publish(messages) {
        const written = publish(messages);
        const isLost = messages.some(({ body }) => 'scope' in body && body.scope?.app_id === 570);
        // Before the reply can arrive: it would decide the item.
        if (isLost) throw new Error('the broker went away');
        await written;
      },
    }),
  });
  const { key } = world.issue();
  const [lost, found] = [item({ app_id: 570 }), item()];

  const response = await send(key, [lost, found], forgetful);
  const isAdmitted = () =>
    world.collector.requests.filter(
      ({ idempotencyKey }) => idempotencyKey === lost.idempotency_key,
    );
  await waitFor('the lost one is admitted', () => isAdmitted().length > 0);
  const [again] = resultsOf(await send(key, [lost]));

  const [undecided, accepted] = resultsOf(response);
  expect(undecided).toMatchObject({
    status: 503,
    retry_after_seconds: 1,
    error: { code: 'service_unavailable', detail: { outcome: 'unknown' } },
  });
  expect(accepted).toMatchObject({ status: 202 });
  expect(again).toMatchObject({ status: 202, idempotency_replayed: true });
  await forgetful.stop();
});

test('the exact path is meant where a refresh_id could stand too', async () => {
  const { key } = world.issue();
  const response = await gateway.call({ path, key });

  expect(response.status).toBe(405);
  expect(response.headers.allow).toBe('POST');
});
