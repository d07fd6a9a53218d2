import type { TextSealer } from '@inventory/runtime/text-sealer';
import type { Collection } from 'mongodb';
import { isKeyKept } from './secret-rotation.domain.ts';
import type { EndpointDocument } from './webhook-document.ts';

export interface ReencryptedSecrets {
  /** Endpoints whose secrets were encrypted with an older key. */
  readonly endpoints: number;
  /** Endpoints with a secret that no key decrypts: they are not changed. */
  readonly unreadable: number;
}

type Sealed = Pick<EndpointDocument, '_id' | 'endpointId' | 'version' | 'secrets' | 'rotations'>;

/**
 * Encrypts with the first key what is encrypted with another, so that older keys can be removed, and
 * removes the secrets of expired Idempotency-Keys. An endpoint that changes meanwhile is left to the
 * next run.
 */
export async function reencryptSecrets(
  collection: Collection<EndpointDocument>,
  sealer: TextSealer,
  { nowMs, stopping }: { readonly nowMs: number; readonly stopping: AbortSignal },
): Promise<ReencryptedSecrets> {
  let endpoints = 0;
  let unreadable = 0;
  const fields = { projection: { endpointId: 1, version: 1, secrets: 1, rotations: 1 } };
  for await (const endpoint of collection.find<Sealed>({}, fields)) {
    if (stopping.aborted) break;
    const { _id, endpointId, version, secrets, rotations = [] } = endpoint;
    const kept = rotations.filter(({ at }) => isKeyKept(at.getTime(), nowMs));
    const isCurrent = ({ sealed }: WithSecret) => sealer.isCurrent(sealed, endpointId);
    if (kept.length === rotations.length && [...secrets, ...kept].every(isCurrent)) continue;
    const reencrypted = {
      secrets: secrets.flatMap((secret) => reencrypt(secret, endpointId, sealer)),
      rotations: kept.flatMap((rotation) => reencrypt(rotation, endpointId, sealer)),
    };
    if (reencrypted.secrets.length < secrets.length) {
      unreadable += 1;
      continue;
    }
    const { matchedCount } = await collection.updateOne(
      { _id, endpointId, version },
      { $set: { ...reencrypted, version: version + 1 } },
    );
    endpoints += matchedCount;
  }
  return { endpoints, unreadable };
}

interface WithSecret {
  readonly sealed: string;
}

function reencrypt<Stored extends WithSecret>(
  stored: Stored,
  owner: string,
  sealer: TextSealer,
): Stored[] {
  const secret = sealer.open(stored.sealed, owner);
  return secret === null ? [] : [{ ...stored, sealed: sealer.seal(secret, owner) }];
}
