import { isDeepStrictEqual } from 'node:util';
import { currentPage } from '@inventory/contracts/http/current';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { asSent } from '@inventory/testkit/as-sent';
import type { z } from 'zod';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { joinKey, type PlatformTruth, type Row } from './platform-truth.ts';
import type { PublicApi } from './public-api.ts';

export interface ReadPage {
  readonly response: ApiResponse;
  readonly page: z.input<typeof currentPage>;
  readonly meta: z.input<typeof pageReadMeta>;
  /** Digit by digit: it may exceed what a number holds. */
  readonly totalAmount: string;
}

/** Every page of Current, each of which has to keep the contract. */
export async function readAllPages(
  api: PublicApi,
  scope: InventoryKey,
  { pageSize, language }: { pageSize?: number; language?: string } = {},
): Promise<ReadPage[]> {
  const pages: ReadPage[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams();
    if (pageSize !== undefined) query.set('page_size', String(pageSize));
    if (language !== undefined) query.set('language', language);
    if (cursor !== null) query.set('cursor', cursor);
    const response: ApiResponse = await api.current(scope, `?${query}`);
    if (response.status !== 200) throw new Error(`not read: ${response.status} ${response.text}`);
    // Of rows any member may be there, also one that no parsed object can have.
    currentPage.parse(response.json.data);
    const page: z.input<typeof currentPage> = response.json.data;
    const meta = asSent(pageReadMeta, response.json.meta);
    const [, totalAmount = ''] = /"total_amount":([0-9]+)/.exec(response.text) ?? [];
    pages.push({ response, page, meta, totalAmount });
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  return pages;
}

/** The pages together are the inventory: nothing missing, nothing twice, nothing moved. */
export function expectTruth(pages: readonly ReadPage[], truth: PlatformTruth, pageSize = 2_000) {
  const { assets, descriptions } = truth;
  expectSame(
    pages.flatMap(({ page }) => page.assets),
    assets,
  );
  expect(pages.map(({ page }) => page.assets.length)).toEqual(pageLengths(assets.length, pageSize));
  for (const { page, totalAmount } of pages) {
    expect(page.revision_id).toBe(pages[0]?.page.revision_id);
    expect(page.observation_id).toBe(pages[0]?.page.observation_id);
    expect(page.total_count).toBe(assets.length);
    expect(totalAmount).toBe(String(sumOfAmounts(assets)));
    expect(page.reported_total_count).toBe(truth.reportedTotalCount);
    expectTexts(page, descriptions);
  }
}

/** Each page has exactly the texts of its assets, each once; one that is missing stays absent. */
function expectTexts(page: ReadPage['page'], descriptions: ReadonlyMap<string, Row>): void {
  const wanted = new Set(
    (page.assets as Row[]).map(joinKey).filter((key) => descriptions.has(key)),
  );
  const given = new Map((page.descriptions as Row[]).map((row) => [joinKey(row), row]));
  expect(page.descriptions).toHaveLength(wanted.size);
  expectSame(given, new Map([...wanted].map((key) => [key, descriptions.get(key)])));
}

/** Jest's own comparison takes seconds for what an inventory holds; it is left to say what differs. */
function expectSame(given: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(given, wanted)) expect(given).toEqual(wanted);
}

function pageLengths(total: number, pageSize: number): number[] {
  const count = Math.max(1, Math.ceil(total / pageSize));
  return Array.from({ length: count }, (_none, page) =>
    Math.min(pageSize, total - page * pageSize),
  );
}

function sumOfAmounts(assets: readonly Row[]): bigint {
  return assets.reduce((sum, asset) => sum + BigInt(String(asset['amount'])), 0n);
}
