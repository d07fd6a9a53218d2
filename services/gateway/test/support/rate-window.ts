import { waitFor } from '@inventory/testkit/wait-for';
import { rateWindowMs } from '../../src/domain/rate-window.ts';

/** Leaves enough of the present minute for what follows to fall into one rate window. */
export async function waitForRoom(neededMs: number): Promise<void> {
  await waitFor(
    'enough of a window is left',
    () => rateWindowMs - (Date.now() % rateWindowMs) > neededMs,
  );
}
