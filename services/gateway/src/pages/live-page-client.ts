import { environmentOf } from '@inventory/contracts/environment';
import type { AccountId } from '@inventory/contracts/ids';
import {
  type LivePageForm,
  type LivePageMeta,
  livePageMeta,
  livePageMetaHeader,
  livePagePath,
  livePageQuery,
  timeLeftHeader,
} from '@inventory/contracts/internal/live-page';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { InventoryDenial, Refusal } from '@inventory/contracts/refusal';
import { pageAssetsMax } from '@inventory/contracts/vocabulary';
import { pathOf } from '@inventory/http/path-of';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import type { CollectorOf } from '../refreshes/collector-client.ts';

export interface WantedLivePage {
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly form: LivePageForm;
  /** Null for the first page. */
  readonly startAssetid: string | null;
  /** Start of the page before, null for the first; undefined: a blank end is not checked. */
  readonly previousStartAssetid: string | null | undefined;
  /** Aborted when the connection of the client is closed: the request leaves the egress queue. */
  readonly signal: AbortSignal;
}

export interface FetchedLivePage {
  readonly result: 'page';
  readonly meta: LivePageMeta;
  /** The text of `"assets":[…],"descriptions":[…]` as it arrived; neither parsed nor copied here. */
  readonly members: readonly Buffer[];
}

/** A denial that the collector confirmed; billable. */
export interface DeniedLivePage {
  readonly result: 'denied';
  readonly refusal: InventoryDenial;
}

export type LivePageResponse =
  | FetchedLivePage
  | DeniedLivePage
  /** The inventory could not be read: nothing may be billed. */
  | { readonly result: 'refused'; readonly refusal: Refusal };

export interface LivePageCalls {
  /** Longest wait for the platform, confirmation of a denial included. */
  readonly liveWaitMs: number;
  /** Additional time for the transfer of the page. */
  readonly liveTransferMs: number;
  /** Pages that are read at a time. */
  readonly limits: { readonly totalMax: number };
}

const refusals = [
  'inventory_private',
  'inventory_not_found',
  'rate_limit_exceeded',
  'upstream_timeout',
  'upstream_unavailable',
] as const;

export type LivePageClient = ReturnType<typeof createLivePageClient>;

/**
 * Reads of the platform through the collector of the account's environment. Rejects with ServiceUnreachable when it is unavailable.
 *
 * Every page that is admitted has a connection, so that it waits in the order of the collector, where
 * accounts are served round-robin. The lane has capacity for the few whose connection just closes.
 */
export function createLivePageClient(collectorOf: CollectorOf, calls: LivePageCalls) {
  const { liveWaitMs, liveTransferMs, limits } = calls;
  const lane = { connections: limits.totalMax, waitingMax: limits.totalMax };
  return {
    async readLivePage(accountId: AccountId, wanted: WantedLivePage): Promise<LivePageResponse> {
      const { scope, signal, startAssetid, previousStartAssetid: before } = wanted;
      const call = collectorOf(environmentOf(accountId)).parts({
        method: 'GET',
        path: pathOf(livePagePath, scope),
        query: z.encode(livePageQuery, {
          ...wanted,
          accountId,
          count: pageAssetsMax,
          startAssetid: startAssetid ?? undefined,
          previousStartAssetid: before === null ? '' : before,
        }),
        headers: (timeLeftMs) => ({
          [timeLeftHeader]: String(Math.max(1, timeLeftMs - liveTransferMs)),
        }),
        timeoutMs: liveWaitMs + liveTransferMs,
        lane,
        signal,
        refusals,
      });
      try {
        const { headers, parts } = await call;
        const meta = livePageMeta.parse(JSON.parse(String(headers[livePageMetaHeader])));
        return { result: 'page', meta, members: parts };
      } catch (error) {
        if (error instanceof Refused) return noPage(error.refusal);
        throw error;
      }
    },
  };
}

function noPage(refusal: Refusal): LivePageResponse {
  switch (refusal.code) {
    case 'inventory_private':
    case 'inventory_not_found':
      return { result: 'denied', refusal };
    default:
      return { result: 'refused', refusal };
  }
}
