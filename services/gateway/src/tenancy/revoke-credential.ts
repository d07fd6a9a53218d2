import type { CredentialId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { ChangeAnnouncer } from './announce-change.ts';
import type { Credential } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findCredential' | 'revokeCredential'>;
  readonly announcer: ChangeAnnouncer;
}

/** Final. A repeated revocation has the same response, so a retry is safe. */
export async function revokeCredential(
  { store, announcer }: Deps,
  credentialId: CredentialId,
): Promise<Credential> {
  const found = await store.findCredential(credentialId);
  if (found === null) throw new Refused({ code: 'credential_not_found' });
  if (found.state === 'revoked') return found;
  const thing = { ...found, credentialId: found.id };
  const announcement = announcer.createAnnouncement(thing);
  const revoked = await store.revokeCredential(found.id, announcement);
  if (!revoked) return (await store.findCredential(found.id)) ?? found;
  await announcer.publishChange(thing);
  const { atMs } = announcement;
  return { ...found, state: 'revoked', revokedAtMs: atMs, changedAtMs: atMs };
}
