import type { AccountId } from '@inventory/contracts/ids';
import {
  type LivePageForm,
  type LivePageMeta,
  livePageMeta,
  livePageMetaHeader,
  livePageRefusal,
  timeLeftHeader,
} from '@inventory/contracts/internal/live-page';
import type { Language } from '@inventory/contracts/languages';
import type { Scope } from '@inventory/contracts/scope';
import { type LiveTrouble, pageAssetsMax } from '@inventory/contracts/vocabulary';
import { CallRefused, type InternalClient } from '@inventory/http/internal-client';

export interface WantedLivePage {
  readonly accountId: AccountId;
  readonly scope: Scope;
  readonly language: Language;
  readonly form: LivePageForm;
  /** Null for the first page. */
  readonly startAssetid: string | null;
  /** Aborted when the client is gone: its place in the queue for the platform is given back. */
  readonly signal: AbortSignal;
}

export interface FetchedLivePage {
  readonly found: 'page';
  readonly meta: LivePageMeta;
  /** The text of `"assets":[…],"descriptions":[…]`; never parsed here. */
  readonly members: Buffer;
}

/** Confirmed by the collector, and billable. */
export interface DeniedLivePage {
  readonly found: 'private' | 'not_found';
}

export type LiveAnswer =
  | FetchedLivePage
  | DeniedLivePage
  | {
      readonly found: 'trouble';
      readonly trouble: LiveTrouble;
      readonly retryAfterSeconds: number;
    };

/** Reads of the platform. Rejects with ServiceUnreachable when the collector does not answer. */
export interface LivePageClient {
  page(wanted: WantedLivePage): Promise<LiveAnswer>;
}

export interface LivePageTimes {
  /** Longest wait for the platform, confirmation of a denial included. */
  readonly liveWaitMs: number;
  /** How much longer the collector's answer may be under way. */
  readonly liveTransferMs: number;
}

const service = 'refresh-collector';
const retryAfterDefault = 5;

export function createLivePageClient(client: InternalClient, times: LivePageTimes): LivePageClient {
  return {
    async page({ accountId, scope, language, form, startAssetid, signal }) {
      const { platform_id, app_id, context_id } = scope;
      const { status, headers, body } = await client.bytes({
        method: 'GET',
        path: `/inventories/${platform_id}/${app_id}/${context_id}/live-page`,
        query: {
          account_id: accountId,
          language,
          form,
          count: pageAssetsMax,
          start_assetid: startAssetid ?? undefined,
        },
        headers: { [timeLeftHeader]: String(times.liveWaitMs) },
        timeoutMs: times.liveWaitMs + times.liveTransferMs,
        signal,
      });
      if (status === 409) return refusedPage(body);
      if (status !== 200) throw new CallRefused(service, status, 'live-page');
      const meta = livePageMeta.parse(JSON.parse(String(headers[livePageMetaHeader])));
      return { found: 'page', meta, members: body };
    },
  };
}

function refusedPage(body: Buffer): LiveAnswer {
  const { code, retry_after_seconds: seconds } = livePageRefusal.parse(
    JSON.parse(body.toString()),
  ).error;
  if (code === 'private' || code === 'not_found') return { found: code };
  return { found: 'trouble', trouble: code, retryAfterSeconds: seconds ?? retryAfterDefault };
}
