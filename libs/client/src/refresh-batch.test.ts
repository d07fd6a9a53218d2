import {
  refreshBatchBody,
  refreshBatchItem,
  refreshBatchResults,
} from '@inventory/contracts/http/refresh-batch';
import { z } from 'zod';
import { apiKey, failure, pending, record, refreshId, scope, success } from '../test/answers.ts';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import {
  PaymentRequiredError,
  TemporarilyUnavailableError,
  UnexpectedAnswerError,
} from './errors.ts';
import { createInventoryClient, type InventoryClient } from './inventory-client.ts';

let server: ScriptedServer;
let client: InventoryClient;

beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  client = createInventoryClient({ baseUrl: server.url, apiKey }, createTestClientEnvironment());
});

const accepted = (idempotency_key: string) => ({
  idempotency_key,
  result: 'accepted',
  success: true,
  status: 202,
  location: `/v2/platform/inventory-refreshes/${refreshId}`,
  idempotency_replayed: true,
  retry_after_seconds: 3,
  data: record(),
  meta: {
    product_code: 'platform.inventory.refresh.v1',
    price_version: 1,
    billing_disposition: 'reserved',
    credits_reserved: 125,
    credits_remaining: 875,
  },
});

const refused = (idempotency_key: string, status: number, code: string) => ({
  idempotency_key,
  result: 'refused',
  success: false,
  status,
  retry_after_seconds: status === 503 ? 7 : null,
  error: { code, message: `It is ${code}.`, detail: { required: 125 } },
});

test('each refresh of a batch has a key of its own, and its own result or error in the order of the request [batch]', async () => {
  const items = [
    accepted('mine'),
    refused('key-1', 402, 'insufficient_credits'),
    refused('key-2', 503, 'product_unavailable'),
  ];
  server.plays(success({ items }));

  const results = await client.refreshBatch([
    { scope, idempotencyKey: 'mine', language: 'german', maxCredits: 300 },
    { scope: { ...scope, context_id: 6 } },
    { scope },
  ]);

  const sent: unknown = JSON.parse(server.requests[0]?.body ?? '');
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v2/platform/inventory-refreshes/batch',
  });
  expect(server.requests[0]?.headers['idempotency-key']).toBeUndefined();
  expect(z.array(refreshBatchItem).parse(refreshBatchBody.parse(sent).items)).toEqual([
    { ...scope, language: 'german', maxCredits: 300, idempotencyKey: 'mine' },
    { ...scope, context_id: 6, language: 'english', maxCredits: 125, idempotencyKey: 'key-1' },
    { ...scope, language: 'english', maxCredits: 125, idempotencyKey: 'key-2' },
  ]);
  expect(refreshBatchResults.safeParse({ items }).error?.issues).toBeUndefined();
  const [first, second, third] = results;
  expect(first).toMatchObject({
    accepted: true,
    idempotencyKey: 'mine',
    answer: {
      record: record(),
      replayed: true,
      retryAfterSeconds: 3,
      meta: { request_id: expect.stringMatching(/^req_/), credits_reserved: 125 },
    },
  });
  expect(second).toMatchObject({ accepted: false, idempotencyKey: 'key-1' });
  expect(second?.accepted === false && second.error).toBeInstanceOf(PaymentRequiredError);
  expect(second?.accepted === false && second.error.detail).toEqual({ required: 125 });
  expect(third?.accepted === false && third.error).toBeInstanceOf(TemporarilyUnavailableError);
  expect(third?.accepted === false && third.error).toMatchObject({
    status: 503,
    retryable: true,
    retryAfterSeconds: 7,
  });
});

test('a batch whose response was lost is retried with the same keys', async () => {
  server.plays(
    { ...success({ items: [] }), fault: 'cut' },
    failure(429, 'rate_limit_exceeded', { retryAfter: 2 }),
    success({ items: [accepted('key-1')] }),
  );

  const [result] = await client.refreshBatch([{ scope }]);

  expect(result?.accepted).toBe(true);
  const bodies = server.requests.map(({ body }) => body);
  expect(bodies).toHaveLength(3);
  expect(new Set(bodies).size).toBe(1);
});

test.each([
  ['fewer results than requests', []],
  ['results of others', [accepted('other')]],
  ['a refusal without a code', [{ ...refused('key-1', 402, ''), error: {} }]],
])('%s are not a response', async (_name, items) => {
  server.plays(success({ items }));

  await expect(client.refreshBatch([{ scope }])).rejects.toThrow(UnexpectedAnswerError);
});

test('an invalid item is not sent, and has its own result beside those of the others [batch]', async () => {
  server.plays(success({ items: [accepted('mine')] }));

  const results = await client.refreshBatch([
    { scope: { ...scope, platform_id: 7 as never } },
    { scope, idempotencyKey: 'mine' },
    { scope, idempotencyKey: '\n' },
  ]);
  const none = await client.refreshBatch([{ scope: undefined as never }]);

  expect(results.map((one) => one.accepted)).toEqual([false, true, false]);
  const errors = [...results, ...none].flatMap((one) => (one.accepted ? [] : [one.error]));
  expect(errors.map(({ code, retryable }) => [code, retryable])).toEqual(
    Array(3).fill(['invalid_request', false]),
  );
  expect(errors[0]?.message).toMatch(/platform_id/);
  expect(server.requests.map(({ body }) => JSON.parse(body).items.length)).toEqual([1]);
});

test('a long-polled status may take its wait in addition to the timeout of an attempt', async () => {
  const environment = createTestClientEnvironment();
  const options = { baseUrl: server.url, apiKey, tryTimeoutMs: 100 };
  server.plays(pending(2));

  await createInventoryClient(options, environment).status(refreshId, { waitSeconds: 10 });

  expect(environment.timers).toEqual([10_100]);
  expect(server.requests.map(({ query }) => query.get('wait'))).toEqual(['10']);
});
