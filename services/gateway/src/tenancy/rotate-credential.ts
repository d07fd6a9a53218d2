import type { CredentialId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { ChangeAnnouncer } from './announce-change.ts';
import { type IssuedCredential, mintSecret } from './issue-credential.ts';
import { rotateSecrets } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findCredential' | 'replaceSecrets'>;
  readonly announcer: ChangeAnnouncer;
}

/**
 * A new secret for the same Credential. Of two concurrent rotations one is refused: otherwise one
 * operator would hand out a secret that the other has replaced.
 */
export async function rotateCredential(
  { store, announcer }: Deps,
  wanted: { credentialId: CredentialId; overlapMs: number },
): Promise<IssuedCredential> {
  const found = await store.findCredential(wanted.credentialId);
  if (found === null) throw new Refused({ code: 'credential_not_found' });
  if (found.state !== 'active') throw new Refused({ code: 'credential_revoked' });
  const secret = mintSecret(found.id);
  const digest = secretDigest(secret);
  const thing = { ...found, credentialId: found.id, newSecretDigest: digest };
  const announcement = announcer.createAnnouncement(thing);
  const nowMs = announcement.atMs;
  const secrets = rotateSecrets(found, {
    digest,
    nowMs,
    overlapMs: wanted.overlapMs,
  });
  const replacement = { fromRotation: found.rotation, secrets };
  const replaced = await store.replaceSecrets(found.id, replacement, announcement);
  if (!replaced) throw new Refused({ code: 'concurrent_change' });
  await announcer.publishChange(thing);
  const rotation = found.rotation + 1;
  return { credential: { ...found, secrets, rotation, changedAtMs: nowMs }, secret };
}
