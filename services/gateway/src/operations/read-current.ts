import type { SavedPage, WantedPage } from '../clients/revision-store-client.ts';
import type { PageRead } from '../domain/page-intent.ts';
import type { ChargedRead, PageCharges } from './page-charges.ts';

export interface ReadCurrentDeps {
  readonly revisions: { page(wanted: WantedPage): Promise<SavedPage | null> };
  readonly charges: PageCharges;
}

/** Free: nothing is saved, or no longer what the chain is pinned to. */
export type CurrentRead = ChargedRead<SavedPage, 'no_revision' | 'expired'>;

/** One page of the saved inventory; the platform is not contacted. */
export function readCurrent(
  deps: ReadCurrentDeps,
  read: Omit<PageRead, 'productCode'>,
  wanted: WantedPage,
): Promise<CurrentRead> {
  return deps.charges.read<SavedPage, 'no_revision' | 'expired'>(
    { ...read, productCode: 'platform.inventory.current.page.v1' },
    async () => {
      const page = await deps.revisions.page(wanted);
      if (page !== null) return { billable: true, page };
      return { billable: false, answer: wanted.from === null ? 'no_revision' : 'expired' };
    },
  );
}
