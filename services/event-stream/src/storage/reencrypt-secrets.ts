import type { Collection } from 'mongodb';
import type { SecretSealer } from './sealed-secret.ts';
import type { EndpointDocument, SealedSecretDocument } from './webhook-collections.ts';

export interface ReencryptedSecrets {
  /** Endpoints whose secrets were encrypted with an older key. */
  readonly endpoints: number;
  /** Endpoints with a secret that no key decrypts: they are not changed. */
  readonly unreadable: number;
}

type Sealed = Pick<EndpointDocument, '_id' | 'endpointId' | 'version' | 'secrets'>;

/**
 * Encrypts with the first key what is encrypted with another, so that older keys can be removed. An
 * endpoint that changes meanwhile is left to the next run.
 */
export async function reencryptSecrets(
  collection: Collection<EndpointDocument>,
  sealer: SecretSealer,
  stopping: AbortSignal,
): Promise<ReencryptedSecrets> {
  let endpoints = 0;
  let unreadable = 0;
  const fields = { projection: { endpointId: 1, version: 1, secrets: 1 } };
  for await (const endpoint of collection.find<Sealed>({}, fields)) {
    if (stopping.aborted) break;
    const { _id, endpointId, version, secrets } = endpoint;
    if (secrets.every(({ sealed }) => sealer.isCurrent(sealed, endpointId))) continue;
    const reencrypted = secrets.flatMap((secret) => reencrypt(secret, endpointId, sealer));
    if (reencrypted.length < secrets.length) {
      unreadable += 1;
      continue;
    }
    const { matchedCount } = await collection.updateOne(
      { _id, endpointId, version },
      { $set: { secrets: reencrypted, version: version + 1 } },
    );
    endpoints += matchedCount;
  }
  return { endpoints, unreadable };
}

function reencrypt(
  stored: SealedSecretDocument,
  owner: string,
  sealer: SecretSealer,
): SealedSecretDocument[] {
  const secret = sealer.open(stored.sealed, owner);
  return secret === null ? [] : [{ ...stored, sealed: sealer.seal(secret, owner) }];
}
