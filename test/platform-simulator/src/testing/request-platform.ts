import type { WirePage } from '../inventory/page-quirks.ts';
import { answer } from '../platform/answer.ts';
import type { Answer } from '../platform/failures.ts';
import type { InventoryRequest } from '../platform/inventory-request.ts';
import { defaultSettings, newWorld, type World } from '../platform/world.ts';

/** A platform without limiter, for tests that are not about it. */
export function unlimitedWorld(): World {
  return newWorld({ ...defaultSettings, limits: { ...defaultSettings.limits, slots: null } });
}

export function inventoryRequest(part: Partial<InventoryRequest>): InventoryRequest {
  return {
    identity: 'tester',
    nowMs: 0,
    platformId: '76200001000000000',
    appId: 730,
    contextId: 2,
    language: 'english',
    count: 2_000,
    startAssetId: undefined,
    rawAssetProperties: false,
    ...part,
  };
}

function pageOf(response: Answer): WirePage {
  return JSON.parse(String(response.body)) as WirePage;
}

/** Reads an inventory, or what is left of it, as a plain client does: by `last_assetid`, until `more_items` is gone. */
export function walkPages(world: World, request: Partial<InventoryRequest>, pagesMax = 600) {
  const pages: WirePage[] = [];
  let { startAssetId } = request;
  do {
    const response = answer(inventoryRequest({ ...request, startAssetId }), world);
    if (response.status !== 200) {
      throw new Error(`page ${pages.length + 1}: ${response.status} ${String(response.body)}`);
    }
    const page = pageOf(response);
    pages.push(page);
    startAssetId = page.more_items === 1 ? page.last_assetid : undefined;
  } while (startAssetId !== undefined && pages.length < pagesMax);
  return pages;
}

export function assetIds(pages: readonly WirePage[]): string[] {
  return pages.flatMap((page) => (page.assets ?? []).map((row) => String(row['assetid'])));
}
