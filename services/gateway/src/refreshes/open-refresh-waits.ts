import type { Lifetime } from '@inventory/runtime/lifetime';
import { observeWaitingRefreshes } from '../metrics.ts';
import { createRefreshWaits, type RefreshWaits } from './refresh-waits.ts';

/** Sockets and memory of waiting requests; past it they are answered at once. */
const limits = { totalMax: 1_000, perKeyMax: 100 };

/** Long polls of this replica, woken by the events of every Project. */
export function openRefreshWaits(lifetime: Lifetime): RefreshWaits {
  const waits = createRefreshWaits(limits);
  const stopObserving = observeWaitingRefreshes(() => waits.waiting);
  lifetime.defer('metrics of waits', stopObserving);
  return waits;
}
