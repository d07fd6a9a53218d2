import { randomUUID } from 'node:crypto';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { pause } from '@inventory/runtime/wait';
import { type Customer, Refused } from './customer.ts';

/** A refresh that is over, with times of this process's own clock. */
export interface FinishedRefresh {
  readonly id: string;
  readonly outcome: string;
  readonly atMs: number;
}

/** Always as many refreshes of one customer under way, until it is ended. */
export interface RefreshLoad {
  /** In the order in which they ended. */
  readonly finished: readonly FinishedRefresh[];
  /** Asks for no more; resolves when all that were accepted are over, rejects if one never is. */
  end(): Promise<void>;
}

const retryMs = 250;
/** A refresh that takes longer counts as lost. */
const lostAfterMs = 120_000;
/** Not decided or refused for now: asked again, a refresh with the same key. */
const passing: readonly number[] = [409, 429, 502, 503, 504];

/** Every refresh is of another inventory with so many assets. */
export function startRefreshLoad(
  customer: Customer,
  { underWay, assets }: { readonly underWay: number; readonly assets: number },
): RefreshLoad {
  const finished: FinishedRefresh[] = [];
  let serial = 0;
  let ended = false;

  async function refreshOnce(): Promise<void> {
    serial += 1;
    const lostAtMs = performance.now() + lostAfterMs;
    const [inventory, key] = [sizeInventory(assets, serial), randomUUID()];
    const id = await patiently(lostAtMs, () => customer.refresh(inventory, key));
    const { outcome } = await patiently(lostAtMs, () => customer.completed(id));
    finished.push({ id, outcome, atMs: performance.now() });
  }

  const worker = async (): Promise<void> => {
    while (!ended) await refreshOnce();
  };
  const workers = Promise.all(Array.from({ length: underWay }, worker));
  // The failure is reported when the load ends; until then it must not end the process.
  workers.catch(() => {});
  return {
    finished,
    async end() {
      ended = true;
      await workers;
    },
  };
}

/** Again while it is cut off or refused for now. */
async function patiently<Result>(lostAtMs: number, ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isOver = error instanceof Refused && !passing.includes(error.status);
      if (isOver || performance.now() > lostAtMs) throw error;
    }
    await pause(retryMs);
  }
}
