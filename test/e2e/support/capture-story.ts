import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { createSemaphore } from '@inventory/runtime/semaphore';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './follow-refresh.ts';
import { readLiveChain } from './live-chain.ts';
import type { Customer } from './operator.ts';
import type { PublicApi } from './public-api.ts';
import { readAllPages } from './read-current.ts';
import { scenarioScope, sizeScope } from './simulator-control.ts';
import type { StoryStack } from './test-stack.ts';

export interface CaptureStory {
  readonly customer: Customer;
  /** The customer's Credential at two gateways. */
  readonly doors: readonly [PublicApi, PublicApi];
  /** The revision that Current reads, once there is one. */
  captured(scope: InventoryKey): Promise<{
    revision_id: string;
    total_count: number;
    reported_total_count: number;
    verified_at: string;
    scan_window: { completed_at: string };
  }>;
  refresh(scope: InventoryKey): ReturnType<PublicApi['record']>;
  /**
   * A chain that ends now is saved, no chain of these inventories waits for its capture, and none
   * of them was saved.
   */
  expectNotCaptured(...scopes: InventoryKey[]): Promise<void>;
}

export async function openCaptureStory(stack: StoryStack, serial: number): Promise<CaptureStory> {
  const customer = await stack.operator.newCustomer();
  const doors = doorsOf(stack, customer);
  let fences = serial + 9_000;

  function captured(scope: InventoryKey) {
    return waitFor(
      'the chain is saved',
      async () => {
        const response = await customer.api.current(scope, '?page_size=1');
        return response.status === 200 && response.json.data;
      },
      { everyMs: 200 },
    );
  }

  return {
    customer,
    doors,
    captured,
    async refresh(scope) {
      const id = await customer.api.accepted(scope);
      await untilCompleted(customer.api, customer.projectId, [id]);
      return customer.api.record(id);
    },
    async expectNotCaptured(...scopes) {
      const fence = sizeScope(1, fences);
      fences += 1;
      await readLiveChain(doors, fence);
      await captured(fence);
      const captures = (await stack.recordsOf('gateway')).collection('captures');
      const scans = (await stack.recordsOf('revision-store')).collection('scans');
      for (const scope of scopes) {
        const waiting = { 'work.dueAtMs': { $exists: true }, 'capture.scope': scope };
        await waitFor(
          'no chain waits for its capture',
          async () => (await captures.countDocuments(waiting)) === 0,
          { everyMs: 200 },
        );
        expect(await scans.countDocuments({ scope: inventoryKeyText(scope) })).toBe(0);
        const response = await customer.api.current(scope);
        expect(response.json.error.code).toBe('inventory_revision_not_found');
      }
    },
  };
}

/** A customer's Credential at two gateways. */
export function doorsOf(stack: StoryStack, { api }: Customer): readonly [PublicApi, PublicApi] {
  const [one, other] = stack.gatewayUrls.map((url) => api.at(url));
  if (!one || !other) throw new Error('two gateways');
  return [one, other];
}

/** Captures each of them and refreshes it: both have to find the same inventory. */
export function testWholeCaptures(
  story: () => CaptureStory,
  scenarios: readonly string[],
  serial: number,
): void {
  const compared = new Map<string, ReturnType<typeof captureAndRefresh>>();

  /** A few side by side; each test reads one. */
  beforeAll(() => {
    const semaphore = createSemaphore(4);
    for (const name of scenarios) {
      const comparison = semaphore.run(() => captureAndRefresh(scenarioScope(name, serial)));
      comparison.catch(() => {});
      compared.set(name, comparison);
    }
  });
  afterAll(() => Promise.allSettled(compared.values()));

  async function captureAndRefresh(scope: InventoryKey) {
    const { doors, captured, refresh, customer } = story();
    await readLiveChain(doors, scope);
    const capture = await captured(scope);
    const again = await refresh(scope);
    const [first] = await readAllPages(customer.api, scope);
    return { capture, again, first };
  }

  test.each(scenarios)('%s is what a refresh saves (Capture)', async (name) => {
    const comparison = await compared.get(name);
    if (!comparison) throw new Error(`no capture of ${name}`);
    const { capture, again, first } = comparison;
    const { revision_id, total_count, reported_total_count } = capture;

    // An inventory that changes while it is read may be another one the next time.
    if (name !== 'duplicate-asset') expect(again.outcome).toBe('complete_unchanged');
    if (again.outcome === 'complete_unchanged') {
      expect(again.revision_id).toBe(revision_id);
      expect(first?.page).toMatchObject({ total_count, reported_total_count });
    }
  });
}
