import type { CredentialId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { ChangeAnnouncer } from './announce-change.ts';
import type { Credential } from './tenancy.domain.ts';
import type { CredentialChanges, TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findCredential' | 'changeCredential'>;
  readonly announcer: ChangeAnnouncer;
}

/** Sets the given fields of an active Credential; a revoked one is immutable. */
export async function changeCredential(
  { store, announcer }: Deps,
  credentialId: CredentialId,
  changes: CredentialChanges,
): Promise<Credential> {
  const found = await store.findCredential(credentialId);
  if (found === null) throw new Refused({ code: 'credential_not_found' });
  const thing = { accountId: found.accountId, projectId: found.projectId, credentialId };
  const announcement = announcer.createAnnouncement(thing);
  const changed = await store.changeCredential(credentialId, changes, announcement);
  if (!changed) throw new Refused({ code: 'credential_revoked' });
  await announcer.publishChange(thing);
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}
