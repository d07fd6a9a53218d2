import type { MessageBus } from '@inventory/messaging/bus';
import type { PriceListCache } from './price-lists.ts';

/**
 * Writes each list to its topic once per process: so every list that may be in force is where a
 * restore finds it, whichever replica published it and whatever became of that.
 */
export function createAnnouncePriceLists({
  prices,
  bus,
}: {
  readonly prices: PriceListCache;
  readonly bus: MessageBus;
}): () => Promise<void> {
  const announced = new Set<number>();
  return async () => {
    const lists = prices.book.all.filter(({ version }) => !announced.has(version));
    if (lists.length === 0) return;
    await bus.publish(
      lists.map((list) => {
        const id = `price-list:${list.version}`;
        return { type: 'billing.price-list.v1', id, body: list };
      }),
    );
    for (const { version } of lists) announced.add(version);
  };
}
