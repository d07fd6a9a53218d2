import type { Collection } from 'mongodb';
import type { SecretSealer } from './sealed-secret.ts';
import type { EndpointDocument, SealedSecretDocument } from './webhook-collections.ts';

export interface SealedAnew {
  /** Endpoints whose secrets an older key had sealed. */
  readonly endpoints: number;
  /** Endpoints with a secret that no key opens: left as they are. */
  readonly unreadable: number;
}

type Sealed = Pick<EndpointDocument, '_id' | 'endpointId' | 'version' | 'secrets'>;

/**
 * Seals with the first key what another one sealed, so that keys can be given up. An endpoint that
 * is changed meanwhile is left to the next time.
 */
export async function sealAnew(
  collection: Collection<EndpointDocument>,
  sealer: SecretSealer,
  stopping: AbortSignal,
): Promise<SealedAnew> {
  let endpoints = 0;
  let unreadable = 0;
  const fields = { projection: { endpointId: 1, version: 1, secrets: 1 } };
  for await (const endpoint of collection.find<Sealed>({}, fields)) {
    if (stopping.aborted) break;
    const { _id, endpointId, version, secrets } = endpoint;
    if (secrets.every(({ sealed }) => sealer.isCurrent(sealed, endpointId))) continue;
    const anew = secrets.flatMap((secret) => sealedAnew(secret, endpointId, sealer));
    if (anew.length < secrets.length) {
      unreadable += 1;
      continue;
    }
    const { matchedCount } = await collection.updateOne(
      { _id, endpointId, version },
      { $set: { secrets: anew, version: version + 1 } },
    );
    endpoints += matchedCount;
  }
  return { endpoints, unreadable };
}

function sealedAnew(
  stored: SealedSecretDocument,
  owner: string,
  sealer: SecretSealer,
): SealedSecretDocument[] {
  const secret = sealer.open(stored.sealed, owner);
  return secret === null ? [] : [{ ...stored, sealed: sealer.seal(secret, owner) }];
}
