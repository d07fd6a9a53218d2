import { isDeepStrictEqual } from 'node:util';
import { livePage } from '@inventory/contracts/http/live-page';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { v1Inventory } from '@inventory/contracts/http/v1';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { asSent } from '@inventory/testkit/as-sent';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { joinKey, type PlatformTruth, type Row } from './platform-truth.ts';
import { inventoryPath, type PublicApi } from './public-api.ts';

export interface LiveWalk {
  /** Good pages in order, each of which kept the contract. */
  readonly pages: readonly {
    readonly assets: readonly Row[];
    readonly descriptions: readonly Row[];
  }[];
  /** The answer that ended the walk: the last page, or a refusal. */
  readonly end: ApiResponse;
}

export interface WalkOptions {
  readonly language?: string;
  /** An endless walk ends here. */
  readonly pagesMax?: number;
  /** Taken in turn, page by page. */
  readonly doors?: readonly PublicApi[];
}

export const livePathOf = inventoryPath;
const segments = ({ platform_id, app_id, context_id }: InventoryKey) =>
  `${platform_id}/${app_id}/${context_id}`;
export const v1Paths = {
  original: (scope: InventoryKey) => `/api/v1/inventory/${segments(scope)}`,
  alias: (scope: InventoryKey) => `/v1/platform/inventory/${segments(scope)}`,
} as const;
export type V1Dialect = keyof typeof v1Paths;

/** Live Pages from cursor to cursor, until there is none or an answer is no page. */
export async function walkLive(
  api: PublicApi,
  scope: InventoryKey,
  { language = 'english', pagesMax = 300, doors = [api] }: WalkOptions = {},
): Promise<LiveWalk> {
  const pages: LiveWalk['pages'][number][] = [];
  let query = `?language=${language}`;
  for (;;) {
    const door = doors[pages.length % doors.length] ?? api;
    const end = await door.call({ path: livePathOf(scope) + query });
    if (end.status !== 200) return { pages, end };
    const page = asSent(livePage, end.json.data);
    asSent(pageReadMeta, end.json.meta);
    pages.push(page);
    const { has_more, next_cursor } = page.pagination;
    expect(has_more).toBe(next_cursor !== undefined);
    if (next_cursor === undefined || pages.length >= pagesMax) return { pages, end };
    query = `?language=${language}&cursor=${next_cursor}`;
  }
}

/** V1 from `last_assetid` to `last_assetid`, as its existing clients walk it. */
export async function walkV1(
  api: PublicApi,
  dialect: V1Dialect,
  scope: InventoryKey,
  { language = 'english', pagesMax = 300 }: WalkOptions = {},
): Promise<LiveWalk> {
  const pages: LiveWalk['pages'][number][] = [];
  let query = `?language=${language}`;
  for (;;) {
    const end = await api.call({ path: v1Paths[dialect](scope) + query });
    if (end.status !== 200) return { pages, end };
    const page = v1Inventory.strict().parse(end.json);
    pages.push(page);
    if (!page.more_items || pages.length >= pagesMax) return { pages, end };
    query = `?language=${language}&start_assetid=${page.last_assetid}`;
  }
}

/** Nothing missing and nothing invented; seen twice, an asset is one, with its last amount. */
export function expectLiveTruth(walk: LiveWalk, truth: PlatformTruth, form: 'v2' | 'v1'): void {
  const assets = new Map<string, Row>();
  for (const asset of walk.pages.flatMap((page) => page.assets)) {
    assets.set(
      `${asset['currencyid'] === undefined ? 'asset' : 'currency'} ${asset['assetid']}`,
      asset,
    );
  }
  const wanted = truth.assets.map((asset) => (form === 'v2' ? asset : withoutProperties(asset)));
  expectSame([...assets.values()], wanted);
  const texts = walk.pages.flatMap(({ descriptions }) => descriptions);
  for (const text of texts) expectSame(text, truth.descriptions.get(joinKey(text)));
  // The platform may give an asset's text with a later page.
  const given = new Set(texts.map(joinKey));
  const known = truth.assets.map(joinKey).filter((key) => truth.descriptions.has(key));
  expect(known.filter((key) => !given.has(key))).toEqual([]);
}

function withoutProperties({ asset_properties: _left, ...asset }: Row): Row {
  return asset;
}

/** Jest's own comparison takes seconds for what an inventory holds; it is left to say what differs. */
function expectSame(given: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(given, wanted)) expect(given).toEqual(wanted);
}
