import { waitFor } from '@inventory/testkit/wait-for';
import type { GatewayWorld } from './test-gateway.ts';

/** A key is settled after the response: an earlier repetition may get idempotency_in_progress. */
export async function noKeyIsOpen({ records }: GatewayWorld): Promise<void> {
  await waitFor(
    'no Idempotency-Key of a read is open',
    async () =>
      (await records.collection('page_read_keys').countDocuments({ state: 'open' })) === 0,
  );
}
