import type { LivePageForm } from '@inventory/contracts/internal/live-page';
import type { Language } from '@inventory/contracts/languages';
import type { Scope } from '@inventory/contracts/scope';
import { type CheckFundsDeps, checkFunds } from './check-funds.ts';
import type { KeyedRead, KeyedReads, ReadKey } from './keyed-reads.ts';
import type {
  DeniedLivePage,
  FetchedLivePage,
  LiveAnswer,
  LivePageClient,
} from './live-page-client.ts';
import type { FundsRefusal } from './page-charges.ts';
import type { PageRead } from './page-intent.domain.ts';

export interface ReadLivePageDeps {
  readonly livePages: LivePageClient;
  readonly reads: KeyedReads;
  readonly funds: CheckFundsDeps;
}

export interface WantedPage {
  readonly scope: Scope;
  readonly language: Language;
  readonly form: LivePageForm;
  readonly startAssetid: string | null;
  /** Aborted when the client is gone: what is not charged by then never is. */
  readonly signal: AbortSignal;
  readonly key: ReadKey | null;
}

export type BillableLivePage = FetchedLivePage | DeniedLivePage;

/** Free: nothing is known of the inventory, or the platform was not even asked. */
export type FreeLiveAnswer =
  | Extract<LiveAnswer, { found: 'trouble' }>
  | { readonly found: 'no_funds'; readonly refusal: FundsRefusal }
  | { readonly found: 'no_ledger' }
  | { readonly found: 'client_gone' };

export type LivePageRead = KeyedRead<BillableLivePage, FreeLiveAnswer>;

/**
 * One page from the platform. A confirmed denial is charged like a page. `onPage` runs as soon as
 * the page is there, beside its charge.
 */
export function readLivePage(
  deps: ReadLivePageDeps,
  read: Omit<PageRead, 'productCode' | 'keyId'>,
  wanted: WantedPage,
  onPage: (page: FetchedLivePage) => void = () => {},
): Promise<LivePageRead> {
  const { key, ...page } = wanted;
  const { accountId } = read;

  async function fetchPage() {
    const answer = await deps.livePages.page({ accountId, ...page });
    if (page.signal.aborted) return { billable: false, answer: { found: 'client_gone' } } as const;
    if (answer.found === 'trouble') return { billable: false, answer } as const;
    if (answer.found === 'page') onPage(answer);
    return { billable: true, page: answer } as const;
  }

  /** Before the platform is contacted; a replay costs nothing and needs no funds. */
  async function fetchFunded() {
    const refusal = await checkFunds(deps.funds, read).catch(() => 'no_ledger' as const);
    if (refusal === 'no_ledger') return { billable: false, answer: { found: refusal } } as const;
    if (refusal === null) return await fetchPage();
    return { billable: false, answer: { found: 'no_funds', refusal } } as const;
  }

  return deps.reads.read<BillableLivePage, FreeLiveAnswer>(
    { ...read, productCode: 'platform.inventory.page.v1' },
    key,
    { paid: fetchFunded, replayed: fetchPage },
  );
}
