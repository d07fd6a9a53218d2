import type { AccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { ChangeAnnouncer } from './announce-change.ts';
import { changeAccount } from './change-account.ts';
import { requestsPerMinuteDefault, type ServiceAccount } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findAccount' | 'changeAccount' | 'insertServiceAccount'>;
  readonly announcer: ChangeAnnouncer;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}

/**
 * The account is marked before the insert: from then on every replica counts its requests against
 * the limit of the customer account. After a crash in between it counts them for nothing.
 */
export async function createServiceAccount(
  deps: Deps,
  wanted: { accountId: AccountId; name: string },
): Promise<ServiceAccount> {
  const { store, clock, identifiers } = deps;
  const account = await store.findAccount(wanted.accountId);
  if (account === null) throw new Refused({ code: 'account_not_found' });
  if (!account.hasServiceAccounts) {
    await changeAccount(deps, account.id, { hasServiceAccounts: true });
  }
  const nowMs = clock.now();
  const serviceAccount: ServiceAccount = {
    id: `sa_${identifiers.uuidV7()}`,
    accountId: account.id,
    name: wanted.name,
    networkPolicy: null,
    requestsPerMinute: requestsPerMinuteDefault,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  await store.insertServiceAccount(serviceAccount);
  return serviceAccount;
}
