import type { AccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { ChangeAnnouncer } from './announce-change.ts';
import type { Account } from './tenancy.domain.ts';
import type { AccountChanges, TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findAccount' | 'changeAccount'>;
  readonly announcer: ChangeAnnouncer;
}

/** Sets the given fields; the others stay, also under concurrent changes. */
export async function changeAccount(
  { store, announcer }: Deps,
  accountId: AccountId,
  changes: AccountChanges,
): Promise<Account> {
  const found = await store.findAccount(accountId);
  if (found === null) throw new Refused({ code: 'account_not_found' });
  const announcement = announcer.createAnnouncement({ accountId });
  const changed = await store.changeAccount(accountId, changes, announcement);
  if (!changed) throw new Refused({ code: 'account_not_found' });
  await announcer.publishChange({ accountId });
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}
