import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { type Account, requestsPerMinuteDefault } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'insertAccount'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}

/** A new account is in no cache, so its creation is not published. */
export async function createAccount(
  { store, clock, identifiers }: Deps,
  wanted: { name: string },
): Promise<Account> {
  const nowMs = clock.now();
  const account: Account = {
    id: `acc_${identifiers.uuidV7()}`,
    name: wanted.name,
    state: 'active',
    networkPolicy: null,
    requestsPerMinute: requestsPerMinuteDefault,
    defaultNetworkPolicy: null,
    trafficLimitPerMinute: null,
    hasServiceAccounts: false,
    eventsEnabled: false,
    captureEnabled: true,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  await store.insertAccount(account);
  return account;
}
