import type { KeyedRead, KeyedReads, ReadKey } from './keyed-reads.ts';
import type { PageRead } from './page-intent.domain.ts';
import type { SavedPage, WantedSavedPage } from './revision-store-client.ts';

export interface ReadCurrentDeps {
  readonly revisions: { findPage(wanted: WantedSavedPage): Promise<SavedPage | null> };
  readonly reads: KeyedReads;
}

export type CurrentRead = KeyedRead<SavedPage>;

/** One page of the saved inventory; the platform is not contacted. */
export function readCurrent(
  deps: ReadCurrentDeps,
  read: Pick<PageRead, 'requestId' | 'accountId' | 'projectId'>,
  wanted: WantedSavedPage,
  key: ReadKey | null,
): Promise<CurrentRead> {
  async function fetchPage() {
    const page = await deps.revisions.findPage(wanted);
    if (page !== null) return { result: 'page', page } as const;
    // Nothing is saved, or the revision of the chain no longer is.
    const code = wanted.from === null ? 'inventory_revision_not_found' : 'cursor_expired';
    return { result: 'refused', refusal: { code } } as const;
  }
  return deps.reads.readPage<SavedPage>(
    { ...read, productCode: 'platform.inventory.current.page.v1', chainId: null },
    key,
    { paid: fetchPage, replayed: fetchPage },
  );
}
