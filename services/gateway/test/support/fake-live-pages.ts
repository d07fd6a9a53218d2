import type { IncomingMessage } from 'node:http';
import { livePageMetaHeader, livePageQuery } from '@inventory/contracts/internal/live-page';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { LivePageFailure } from '@inventory/contracts/vocabulary';
import { type FakeResponse, refusalResponse } from './http-fake.ts';

/** One inventory of the platform: ready-made text of each page, and how many assets it reports. */
export interface LiveInventory {
  readonly pages: readonly string[];
  readonly totalCount?: number;
}

/** The collector's live pages: an inventory that was not set is not found. */
export interface FakeLivePages {
  readonly inventories: Map<string, LiveInventory>;
  readonly asked: URL[];
  /** Responds instead of the platform; null leaves it to the platform. */
  respondInstead: (url: URL) => FakeResponse | null | Promise<FakeResponse | null>;
  /** Sees each call of the gateway, with its connection. */
  onContacted: (request: IncomingMessage) => void;
  respond(url: URL, request: IncomingMessage): Promise<FakeResponse>;
  reset(): void;
}

/** Page n begins after asset n * 1000. */
const startOf = (page: number) => String(page * 1_000);

export function createFakeLivePages(): FakeLivePages {
  const fake: FakeLivePages = {
    inventories: new Map(),
    asked: [],
    respondInstead: () => null,
    onContacted: () => undefined,
    reset: () => {
      fake.respondInstead = () => null;
      fake.onContacted = () => undefined;
    },
    async respond(url, request) {
      fake.onContacted(request);
      fake.asked.push(url);
      return (await fake.respondInstead(url)) ?? pageOf(fake, url);
    },
  };
  return fake;
}

function pageOf(fake: FakeLivePages, url: URL): FakeResponse {
  const [, , platformId, appId, contextId] = url.pathname.split('/');
  const { startAssetid: start } = livePageQuery.parse(Object.fromEntries(url.searchParams));
  const inventory = fake.inventories.get(`${platformId}/${appId}/${contextId}`);
  if (inventory === undefined) return noPage('not_found');
  const page = start === undefined ? 0 : Number(start) / 1_000;
  const hasNext = page + 1 < inventory.pages.length;
  const meta = {
    total_count: inventory.totalCount ?? inventory.pages.length,
    asset_count: 1,
    next_start_assetid: hasNext ? startOf(page + 1) : null,
  };
  return {
    status: 200,
    headers: { [livePageMetaHeader]: JSON.stringify(meta) },
    body: inventory.pages[page] ?? '"assets":[],"descriptions":[]',
  };
}

export function noPage(
  found: 'private' | 'not_found' | 'concurrency_limit' | LivePageFailure,
  retry_after_seconds = 5,
): FakeResponse {
  switch (found) {
    case 'private':
    case 'not_found':
      return refusalResponse({ code: `inventory_${found}` });
    case 'timeout':
      return refusalResponse({ code: 'upstream_timeout', retry_after_seconds });
    case 'concurrency_limit':
      return refusalResponse({
        code: 'rate_limit_exceeded',
        detail: { limit: 'concurrency', reads_max: 2 },
        retry_after_seconds,
      });
    default:
      return refusalResponse({
        code: 'upstream_unavailable',
        detail: { reason: found },
        retry_after_seconds,
      });
  }
}

export function setLiveInventory(
  live: FakeLivePages,
  scope: InventoryKey,
  inventory: LiveInventory,
): void {
  live.inventories.set(inventoryKeyText(scope), inventory);
}
