import type { KeyedRead, KeyedReads, ReadKey } from './keyed-reads.ts';
import type { PageRead } from './page-intent.domain.ts';
import type { SavedPage, WantedPage } from './revision-store-client.ts';

export interface ReadCurrentDeps {
  readonly revisions: { page(wanted: WantedPage): Promise<SavedPage | null> };
  readonly reads: KeyedReads;
}

/** Free: nothing is saved, or no longer what the chain is pinned to. */
export type CurrentRead = KeyedRead<SavedPage, 'no_revision' | 'expired'>;

/** One page of the saved inventory; the platform is not contacted. */
export function readCurrent(
  deps: ReadCurrentDeps,
  read: Pick<PageRead, 'requestId' | 'accountId' | 'projectId'>,
  wanted: WantedPage,
  key: ReadKey | null,
): Promise<CurrentRead> {
  async function fetchPage() {
    const page = await deps.revisions.page(wanted);
    if (page !== null) return { billable: true, page } as const;
    const answer = wanted.from === null ? ('no_revision' as const) : ('expired' as const);
    return { billable: false, answer } as const;
  }
  return deps.reads.read<SavedPage, 'no_revision' | 'expired'>(
    { ...read, productCode: 'platform.inventory.current.page.v1', chainId: null },
    key,
    { paid: fetchPage, replayed: fetchPage },
  );
}
