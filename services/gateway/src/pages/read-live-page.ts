import type { Refusal } from '@inventory/contracts/refusal';
import { bytesOf } from '@inventory/http/byte-parts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { buyerOf } from '../tenancy/principal.domain.ts';
import { type KeyedRead, type ReadKey, readKeyed } from './keyed-reads.ts';
import type { DeniedLivePage, FetchedLivePage, WantedLivePage } from './live-page-client.ts';
import type { PageServices } from './open-pages.ts';

/** A page that is not charged when its signal is aborted is never charged. */
export interface WantedLiveRead extends WantedLivePage {
  /** The chain of the page; null outside of one. */
  readonly chainId: string | null;
  readonly key: ReadKey | null;
  /** What is to be known before the request to the platform; looked up beside the funds. */
  readonly before?: Promise<unknown>;
}

export type BillableLivePage = FetchedLivePage | DeniedLivePage;

export type LivePageRead = KeyedRead<BillableLivePage>;

const productCode = 'platform.inventory.page.v1';
const refused = (refusal: Refusal) => ({ result: 'refused', refusal }) as const;
const noLedger: Refusal = { code: 'billing_unavailable', retry_after_seconds: 1 };
const allInUse: Refusal = { code: 'service_unavailable', retry_after_seconds: 1 };
const concurrencyExceeded = (readsMax: number): Refusal => ({
  code: 'rate_limit_exceeded',
  detail: { limit: 'concurrency', reads_max: readsMax },
  retry_after_seconds: 1,
});
/** The connection is closed: no client reads this. */
const clientGone: Refusal = { code: 'service_unavailable', retry_after_seconds: 1 };

/** Less than a page: as many as are read at a time are held, also where the clients of all take them slowly. */
const bytesExpected = 128 * 1024;

/**
 * One page from the platform. A confirmed denial is charged like a page. `onPage` runs as soon as
 * the page is read, while its charge is decided.
 */
export function readLivePage(
  services: PageServices,
  { requestId, principal, hold }: AdmittedRequest,
  wanted: WantedLiveRead,
  onPage: (page: FetchedLivePage) => void = () => {},
): Promise<LivePageRead> {
  const { key, before, chainId, ...page } = wanted;
  const { accountId } = principal;
  const read = { requestId, ...buyerOf(principal), productCode, chainId } as const;

  async function withPermit(fetch: () => ReturnType<typeof fetchPage>) {
    const permit = services.livePageLimiter.acquire(accountId);
    switch (permit.result) {
      case 'key_full':
        return refused(concurrencyExceeded(services.livePageLimiter.limits.perKeyMax));
      case 'total_full':
        return refused(allInUse);
      case 'granted':
        return await fetch().finally(permit.release);
    }
  }

  async function fetchPage(onPlatformContacted = () => {}) {
    // Before the request to the platform: a page that was read is not refused for its size.
    const tooMuch = hold(bytesExpected);
    if (tooMuch !== null) return refused(tooMuch);
    await before;
    const response = await services.livePages.readLivePage(accountId, page).finally(() => {
      // Whether it was is not known of a page whose client has left.
      if (page.signal.aborted) onPlatformContacted();
    });
    if (page.signal.aborted) return refused(clientGone);
    if (response.result === 'refused') {
      if (wasPlatformContacted(response.refusal)) onPlatformContacted();
      return response;
    }
    if (response.result === 'page') onPage(response);
    const bytes = response.result === 'page' ? bytesOf(response.members) : 0;
    return { result: 'page', page: response, bytes } as const;
  }

  /** Runs before the platform is contacted; a replay is free and needs no funds. */
  async function fetchFunded() {
    const refusal = await services.funds.checkFunds(read).catch(() => noLedger);
    return refusal === null ? await fetchPage() : refused(refusal);
  }

  return readKeyed<BillableLivePage>(services, { ...read, hold }, key, {
    paid: () => withPermit(fetchFunded),
    replayed: (onContacted) => withPermit(() => fetchPage(onContacted)),
  });
}

/** Not where the page got no slot of an egress identity. */
function wasPlatformContacted(refusal: Refusal): boolean {
  if (refusal.code === 'upstream_timeout') return true;
  if (refusal.code !== 'upstream_unavailable') return false;
  const { reason } = refusal.detail;
  return reason !== 'egress_busy' && reason !== 'breaker_open';
}
