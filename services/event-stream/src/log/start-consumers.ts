import { consumerGroup } from '@inventory/contracts/topics';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { AnnounceBalanceDeps } from './announce-events.ts';
import { onBalanceLow } from './on-balance-low.ts';
import { onRefreshCompleted } from './on-refresh-completed.ts';

const concurrencyMax = 16;
/** A low balance is not urgent, so records are processed in batches. */
const balancesGatherMs = 500;

/** Starts to append the events of completed refreshes and of low balances. */
export async function startConsumers(
  { bus, lifetime }: { readonly bus: Pick<MessageBus, 'consume'>; readonly lifetime: Lifetime },
  deps: AnnounceBalanceDeps,
): Promise<void> {
  const completions = await bus.consume({
    group: consumerGroup('event-stream', 'refresh.outcomes.v1'),
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey(onRefreshCompleted(deps), concurrencyMax),
  });
  lifetime.defer('completed refreshes', () => completions.stop());
  // Most records of this topic have other consumers; batches keep the cost of skipping them low.
  const balances = await bus.consume({
    group: consumerGroup('event-stream', 'billing.outcomes.v1'),
    topics: ['billing.outcomes.v1'],
    gatherMs: balancesGatherMs,
    onBatch: byKey(onBalanceLow(deps), concurrencyMax),
  });
  lifetime.defer('low balances', () => balances.stop());
}
