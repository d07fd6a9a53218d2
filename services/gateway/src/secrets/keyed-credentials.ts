import { type CredentialSecret, writeSecret } from '@inventory/contracts/credential-secret';
import type { Environment } from '@inventory/contracts/environment';
import type { CredentialId } from '@inventory/contracts/ids';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { IssuedCredential, WantedCredential } from '../tenancy/credentials.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Credential } from '../tenancy/tenancy.domain.ts';
import type { KeyedRequest, PromisedSecrets } from './promised-secrets.ts';

export interface KeyedCredentialServices {
  readonly tenancy: Tenancy;
  readonly secrets: PromisedSecrets;
  readonly identifiers: Identifiers;
}

type KeyedCredential = KeyedRequest<CredentialId, CredentialSecret>;

export interface ShownCredential extends IssuedCredential {
  /** Its Idempotency-Key was used before. */
  readonly isRepeated: boolean;
}

/** A request for a secret of a Credential; null without an Idempotency-Key. */
export function keyedCredential(
  key: string | undefined,
  scope: readonly string[],
  inputs: unknown,
  environment: Environment,
): KeyedCredential | null {
  if (key === undefined) return null;
  const write: KeyedCredential['write'] = (id, entropy) => writeSecret(id, entropy, environment);
  return { key, scope, inputs, write };
}

/**
 * Issues a Credential, once per Idempotency-Key. Nothing is promised to a request that is refused: its
 * key stays free.
 */
export async function issueOnce(
  { tenancy, secrets, identifiers }: KeyedCredentialServices,
  keyed: KeyedCredential | null,
  {
    begin,
    requireShown = () => undefined,
  }: {
    /** Checks what is requested; what it returns is done for the Credential before it is issued. */
    readonly begin: () => Promise<(credentialId: CredentialId) => Promise<WantedCredential>>;
    /** Throws where the caller may not have the secret of the Credential that the key has. */
    readonly requireShown?: (credential: Credential) => void;
  },
): Promise<ShownCredential> {
  const earlier = keyed && (await secrets.find(keyed));
  const found = earlier && (await tenancy.findCredential(earlier.ownerId));
  if (earlier && found) {
    requireShown(found);
    return { credential: found, secret: earlier.secret, isRepeated: true };
  }
  const prepare = await begin();
  const newId = `cred_${identifiers.uuidV7()}` as const;
  const issue = async (credentialId: CredentialId, secret?: CredentialSecret) =>
    tenancy.issueCredential({ ...(await prepare(credentialId)), credentialId, secret });
  if (keyed === null) return { ...(await issue(newId)), isRepeated: false };
  const promised = await secrets.promise(keyed, newId);
  const { ownerId, secret, isRepeated } = promised;
  const issued = await secrets.fulfil(keyed, promised, () => issue(ownerId, secret));
  // Another request may have issued it.
  const credential = isRepeated ? await tenancy.requireCredential(ownerId) : issued.credential;
  return { credential, secret, isRepeated };
}

/** Replaces the secret of a Credential, once per Idempotency-Key. */
export async function rotateOnce(
  { tenancy, secrets }: Pick<KeyedCredentialServices, 'tenancy' | 'secrets'>,
  keyed: KeyedCredential | null,
  rotation: { readonly credentialId: CredentialId; readonly overlapMs: number },
): Promise<ShownCredential> {
  if (keyed === null) return { ...(await tenancy.rotateCredential(rotation)), isRepeated: false };
  const promised = await secrets.promise(keyed, rotation.credentialId);
  const { secret, isRepeated } = promised;
  const rotated = await secrets.fulfil(keyed, promised, () =>
    tenancy.rotateCredential({ ...rotation, secret }),
  );
  return { ...rotated, isRepeated };
}
