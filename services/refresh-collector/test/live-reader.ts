import {
  type LivePageMeta,
  livePageMeta,
  livePageMetaHeader,
  timeLeftHeader,
} from '@inventory/contracts/internal/live-page';
import type { SimulatedInventory } from '@inventory/platform-simulator/scenarios';
import { newAccountId } from '@inventory/testkit/builders';

export interface LivePageResponse {
  readonly status: number;
  readonly meta: LivePageMeta | null;
  // biome-ignore lint/suspicious/noExplicitAny: the platform's rows, read as they come
  readonly page: any;
  /** `detail.reason` of the refusal, else its code. */
  readonly code: string | undefined;
  readonly retryAfter: number | null | undefined;
}

export interface LiveOptions {
  readonly start?: string | null;
  /** Start of the page before, empty for the first; absent: a blank end is not checked. */
  readonly before?: string;
  readonly form?: 'v1' | 'v2';
  readonly accountId?: string;
  /** As far out as the collectors of these tests allow. */
  readonly timeLeftMs?: number;
}

/** Asks a collector for a live page, as a gateway does. */
export async function readLive(
  { url }: { readonly url: string },
  { platformId, appId, contextId }: SimulatedInventory,
  options: LiveOptions = {},
): Promise<LivePageResponse> {
  const query = new URLSearchParams({
    account_id: options.accountId ?? newAccountId(),
    language: 'english',
    form: options.form ?? 'v2',
    count: '2000',
    ...(options.start ? { start_assetid: options.start } : {}),
    ...(options.before === undefined ? {} : { previous_start_assetid: options.before }),
  });
  const response = await fetch(
    `${url}/inventories/${platformId}/${appId}/${contextId}/live-page?${query}`,
    { headers: { [timeLeftHeader]: String(options.timeLeftMs ?? 600_000) } },
  );
  const text = await response.text();
  const meta = response.headers.get(livePageMetaHeader);
  const parsed = JSON.parse(response.status === 200 ? `{${text}}` : text);
  return {
    status: response.status,
    meta: meta === null ? null : livePageMeta.parse(JSON.parse(meta)),
    page: parsed,
    code: parsed.error?.detail?.reason ?? parsed.error?.code,
    retryAfter: parsed.error?.retry_after_seconds,
  };
}
