import { livePage } from '@inventory/contracts/http/live-page';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { asSent } from '@inventory/testkit/as-sent';
import type { z } from 'zod';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { inventoryPath, type PublicApi } from './public-api.ts';

export interface ReadLivePage {
  readonly response: ApiResponse;
  readonly page: z.input<typeof livePage>;
  /** Null after the last page. */
  readonly next: string | null;
}

/** One Live Page, whatever it is answered with. */
export function requestLivePage(
  api: PublicApi,
  scope: InventoryKey,
  cursor: string | null = null,
): Promise<ApiResponse> {
  const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
  return api.call({ path: `${inventoryPath(scope)}${query}` });
}

/** One Live Page that has to be there and to keep the contract. */
export async function readLivePage(
  api: PublicApi,
  scope: InventoryKey,
  cursor: string | null = null,
): Promise<ReadLivePage> {
  const response = await requestLivePage(api, scope, cursor);
  if (response.status !== 200) throw new Error(`not read: ${response.status} ${response.text}`);
  const page = asSent(livePage, response.json.data);
  return { response, page, next: page.pagination.next_cursor ?? null };
}

/** Every page from a cursor to the end, through these gateways in turn. */
export async function readLiveChain(
  apis: readonly PublicApi[],
  scope: InventoryKey,
  from: string | null = null,
): Promise<ReadLivePage[]> {
  const pages: ReadLivePage[] = [];
  let cursor = from;
  do {
    const api = apis[pages.length % apis.length];
    if (!api) throw new Error('a chain is read through a gateway');
    const read = await readLivePage(api, scope, cursor);
    pages.push(read);
    cursor = read.next;
  } while (cursor !== null);
  return pages;
}
