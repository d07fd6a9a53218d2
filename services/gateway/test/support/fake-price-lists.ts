import type { IncomingMessage } from 'node:http';
import { newPriceList, type PriceList } from '@inventory/contracts/internal/ledger';
import { fromIsoTime, systemClock } from '@inventory/runtime/clock';
import { firstPrices } from './fake-ledger-reads.ts';
import { type FakeAnswer, jsonAnswer, refusalAnswer } from './http-fake.ts';

/** Price lists that are published once, with a date in the future. */
export function createFakePriceLists() {
  const { announced: _, ...first } = firstPrices;
  const items: PriceList[] = [first];

  function publish(version: number, body: unknown): FakeAnswer {
    const { effective_at: effectiveAt = new Date(2 ** 42).toISOString(), ...prices } =
      newPriceList.parse(body);
    const { refresh_block: watch_changed_block, refresh_block: watch_unchanged_block } = prices;
    const ofWatches = { watch_changed_block, watch_unchanged_block };
    const list = { version, effective_at: effectiveAt, ...ofWatches, ...prices } as PriceList;
    const published = items[version - 1];
    const isSame = JSON.stringify(published) === JSON.stringify(list);
    if (isSame) return jsonAnswer(list);
    if (version !== items.length + 1) {
      const detail = { next_version: items.length + 1 };
      return refusalAnswer({ code: 'price_version_conflict', detail });
    }
    if (fromIsoTime(effectiveAt) < systemClock.now()) {
      const detail = { earliest: new Date(2 ** 41).toISOString() };
      return refusalAnswer({ code: 'effective_date_too_early', detail });
    }
    items.push(list);
    return jsonAnswer(list);
  }

  return async (url: URL, request: IncomingMessage): Promise<FakeAnswer> => {
    if (request.method === 'GET') return jsonAnswer({ items });
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const version = Number(url.pathname.split('/').at(-1));
    return publish(version, JSON.parse(Buffer.concat(parts).toString()));
  };
}
