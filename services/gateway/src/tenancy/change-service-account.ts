import type { ServiceAccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { ChangeAnnouncer } from './announce-change.ts';
import { defaultServiceAccountId, type ServiceAccount } from './tenancy.domain.ts';
import type { AccountChanges, ServiceAccountChanges, TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<
    TenancyStore,
    'findServiceAccount' | 'changeAccount' | 'changeServiceAccount'
  >;
  readonly announcer: ChangeAnnouncer;
}

/** Sets the given fields; the default Service account's are in the document of its account. */
export async function changeServiceAccount(
  { store, announcer }: Deps,
  id: ServiceAccountId,
  changes: ServiceAccountChanges,
): Promise<ServiceAccount> {
  const found = await store.findServiceAccount(id);
  if (found === null) throw new Refused({ code: 'service_account_not_found' });
  const { accountId } = found;
  const isDefault = id === defaultServiceAccountId(accountId);
  const thing = isDefault ? { accountId } : { accountId, serviceAccountId: id };
  const announcement = announcer.createAnnouncement(thing);
  const changed = isDefault
    ? await store.changeAccount(accountId, ofAccount(changes), announcement)
    : await store.changeServiceAccount(id, changes, announcement);
  if (!changed) throw new Refused({ code: 'service_account_not_found' });
  await announcer.publishChange(thing);
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}

function ofAccount({ networkPolicy, ...same }: ServiceAccountChanges): AccountChanges {
  return networkPolicy === undefined ? same : { ...same, defaultNetworkPolicy: networkPolicy };
}
