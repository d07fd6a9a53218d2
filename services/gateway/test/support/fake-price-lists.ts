import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { priceLists } from '@inventory/contracts/internal/ledger';
import { newPriceList, type PriceList, priceList } from '@inventory/contracts/messages/price-list';
import { isoTime, systemClock } from '@inventory/runtime/clock';
import { z } from 'zod';
import { firstPrices } from './fake-ledger-reads.ts';
import { type FakeResponse, jsonResponse, refusalResponse } from './http-fake.ts';

const shown = (list: PriceList) => jsonResponse(z.encode(priceList, list));

/** Price lists that are published once, with a date in the future. */
export function createFakePriceLists() {
  const { announced: _, ...first } = firstPrices;
  const items: PriceList[] = [first];

  function publish(version: number, body: unknown): FakeResponse {
    const wanted = z.decode(newPriceList, body as z.input<typeof newPriceList>);
    const list: PriceList = {
      version,
      ...wanted,
      effectiveAtMs: wanted.effectiveAtMs ?? 2 ** 42,
      watchChangedBlock: wanted.watchChangedBlock ?? wanted.refreshBlock,
      watchUnchangedBlock: wanted.watchUnchangedBlock ?? wanted.refreshBlock,
    };
    if (isDeepStrictEqual(items[version - 1], list)) return shown(list);
    if (version !== items.length + 1) {
      const detail = { next_version: items.length + 1 };
      return refusalResponse({ code: 'price_version_conflict', detail });
    }
    if (list.effectiveAtMs < systemClock.now()) {
      const detail = { earliest: isoTime(2 ** 41) };
      return refusalResponse({ code: 'effective_date_too_early', detail });
    }
    items.push(list);
    return shown(list);
  }

  return async (url: URL, request: IncomingMessage): Promise<FakeResponse> => {
    if (request.method === 'GET') return jsonResponse(z.encode(priceLists, { items }));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const version = Number(url.pathname.split('/').at(-1));
    return publish(version, JSON.parse(Buffer.concat(parts).toString()));
  };
}
