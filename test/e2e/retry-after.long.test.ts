import { refreshLink } from '@inventory/contracts/http/refresh';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { pause } from '@inventory/runtime/wait';
import { closeCalls } from '../../services/gateway/test/support/api-call.ts';
import type { Customer } from './support/operator.ts';
import { createSimulatorControl, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** A platform that answers in half a second, and for some inventories in six. */
const slowMs = 6_000;
/** From the completion in the books until the status shows it, and back to the client. */
const transportMs = 500;
let stack: TestStack;
let customer: Customer;

beforeAll(async () => {
  stack = await openTestStack({
    simulator: { SIMULATOR_LATENCY_MS: '500', SIMULATOR_SLOW_MS: String(slowMs) },
  });
  customer = await stack.operator.newCustomer();
});
afterAll(() => stack?.close());
afterAll(closeCalls);

interface Followed {
  /** Status reads, the one that found it completed included. */
  readonly reads: number;
  readonly durationMs: number;
  /** From the completion until the client knew of it. */
  readonly lateMs: number;
  /** The same for a client that reads the stream. */
  readonly streamLateMs: number;
}

const lateBy = (record: { readonly completed_at: string }) =>
  Date.now() - Date.parse(record.completed_at);

/** A client that does nothing but wait for Retry-After and poll again. */
async function obey(scope: InventoryKey): Promise<Followed> {
  const accepted = await customer.api.refresh(scope);
  expect(accepted.status).toBe(202);
  const { refresh_id: id, requested_at: requestedAt } = accepted.json.data;
  const onStream = readOnStream(id);
  let retryAfter = accepted.headers['retry-after'];
  for (let reads = 1; ; reads += 1) {
    expect(retryAfter).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
    await pause(Number(retryAfter) * 1_000);
    const { headers, json } = await customer.api.status(id);
    if (json.data.state === 'completed') {
      expect(headers['retry-after']).toBeUndefined();
      const lateMs = lateBy(json.data);
      const durationMs = Date.parse(json.data.completed_at) - Date.parse(requestedAt);
      return { reads, durationMs, lateMs, streamLateMs: await onStream };
    }
    retryAfter = headers['retry-after'];
  }
}

/** What a busy machine adds is late on the stream, too. */
async function readOnStream(id: string): Promise<number> {
  for (;;) {
    const { json } = await customer.api.call({ path: `${refreshLink(id)}?wait=30` });
    if (json.data.state === 'completed') return lateBy(json.data);
  }
}

function expectPrompt({ durationMs, lateMs, streamLateMs }: Followed): void {
  // It is late twice: in the last answer before the completion, and in the one after it.
  const allowedMs = Math.max(2_000, durationMs / 4) + Math.max(transportMs, 2 * streamLateMs);
  expect(`${lateMs <= allowedMs ? 'prompt' : `${lateMs} ms late after ${durationMs} ms`}`).toBe(
    'prompt',
  );
}

test('a client that obeys Retry-After alone sees the end in time, and of one page in at most 6 reads (Retry-After) [retry-after]', async () => {
  // Started at different moments of a second, so that no luck of rounding helps all of them.
  const followed = await Promise.all(
    Array.from({ length: 10 }, async (_none, serial) => {
      await pause(serial * 110);
      return obey(sizeScope(1 + serial * 100, serial));
    }),
  );

  for (const one of followed) {
    expectPrompt(one);
    expect(one.reads).toBeLessThanOrEqual(6);
  }
});

test('the same for ten pages, and for a page that the platform is slow with', async () => {
  const slow = sizeScope(10, 100);
  const { platform_id } = slow;
  await createSimulatorControl(stack.simulatorUrl).fail({ failure: { kind: 'slow' }, platform_id });

  const [tenPages, slowPage] = await Promise.all([obey(sizeScope(19_500, 101)), obey(slow)]);

  expectPrompt(tenPages);
  expectPrompt(slowPage);
  expect(slowPage.durationMs).toBeGreaterThan(slowMs);
  expect(slowPage.reads).toBeLessThanOrEqual(6);
});
