import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { requestLivePage } from './live-chain.ts';
import { createPatientClient } from './patient-client.ts';
import type { ReadingCustomer } from './reading-customer.ts';
import { sizeScope } from './simulator-control.ts';
import { startFollower } from './stream-follower.ts';
import type { TestStack } from './test-stack.ts';

/** A customer who arrives, and the two refreshes of its arrival. */
export interface Arrival {
  readonly customer: ReadingCustomer;
  readonly refreshIds: readonly string[];
  /** From its arrival until each kind of request was served. */
  readonly servedMs: Readonly<Record<WorkKind, number>>;
}

export const workKinds = ['refresh', 'live page', 'current', 'event'] as const;
export type WorkKind = (typeof workKinds)[number];

export interface ArrivalOptions {
  readonly stack: TestStack;
  readonly customer: ReadingCustomer;
  readonly saved: InventoryKey;
  readonly firstSerial: number;
}

const assets = 100;
const repeatMs = 200;
const hangMs = 240_000;

/** Each kind of request, repeated until it is served. */
export async function arrive(options: ArrivalOptions): Promise<Arrival> {
  const { customer, firstSerial, saved, stack } = options;
  const { api, projectId, secret } = customer;
  const startMs = performance.now();
  const nowMs = () => performance.now() - startMs;
  const client = createPatientClient({ apis: [api], nowMs, giveUpAfterMs: hangMs });
  const refresh = async (serial: number) =>
    (await client.refresh(sizeScope(assets, serial))).refreshId;

  async function untilServed(call: () => Promise<ApiResponse>): Promise<number> {
    for (;;) {
      const response = await call().catch(() => null);
      if (response?.status === 200) return nowMs();
      if (nowMs() > hangMs) throw new Error(`not served: ${response?.status} ${response?.text}`);
      await pause(repeatMs);
    }
  }
  async function untilCompleted() {
    const id = await refresh(firstSerial);
    await waitFor(
      'the refresh of the arriving customer is completed',
      async () => (await api.record(id)).state === 'completed',
      { everyMs: 100 },
    );
    return { id, atMs: nowMs() };
  }
  async function untilNotified() {
    const follower = startFollower({ url: stack.gatewayUrl, projectId, apiKey: secret });
    try {
      await waitFor('the stream has its position', () => follower.hasPosition());
      const id = await refresh(firstSerial + 1);
      const isGiven = () =>
        follower.applied.some(
          ({ event: { type, data } }) =>
            type === 'inventory.refresh.completed' && data.refresh_id === id,
        );
      await waitFor('the event of its refresh arrives', isGiven);
      return { id, atMs: nowMs() };
    } finally {
      await follower.stop();
    }
  }
  const [completed, notified, livePage, current] = await Promise.all([
    untilCompleted(),
    untilNotified(),
    untilServed(() => requestLivePage(api, saved)),
    untilServed(() => api.current(saved, '?page_size=10')),
  ]);
  return {
    customer,
    refreshIds: [completed.id, notified.id],
    servedMs: {
      refresh: completed.atMs,
      event: notified.atMs,
      'live page': livePage,
      current,
    },
  };
}
