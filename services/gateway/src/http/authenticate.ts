import { Refused } from '@inventory/http/refused';
import { withDeadline } from '@inventory/runtime/wait';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { PrincipalCache } from '../tenancy/principal-cache.ts';
import type { ClientAddressOf } from './limits/client-address.ts';
import type { UnknownKeys } from './limits/unknown-keys.ts';
import type { PublicMiddleware } from './request-state.ts';

export interface AuthenticateDeps {
  readonly principals: Omit<PrincipalCache, 'invalidate'>;
  readonly unknownKeys: UnknownKeys<Principal>;
  readonly clientAddressOf: ClientAddressOf;
  readonly deadlines: { readonly findMs: number };
}

/** A key is read from its header only, which must occur once. */
export function authenticate(deps: AuthenticateDeps): PublicMiddleware {
  return async (context, next) => {
    const [secret, ...more] = context.req.headersDistinct['x-api-key'] ?? [];
    if (secret === undefined || secret === '') throw new Refused({ code: 'missing_api_key' });
    context.state.clientAddress = deps.clientAddressOf(context.req);
    const { clientAddress } = context.state;
    const principal = more.length === 0 ? await findPrincipal(deps, clientAddress, secret) : null;
    if (principal === null) throw new Refused({ code: 'invalid_api_key' });
    context.state.principal = principal;
    context.state.secretDigest = deps.principals.digestOf(secret);
    await next();
  };
}

/** Rejects with {@link Refused} where the client has sent too many unknown keys, and this is one. */
export function findPrincipal(
  { principals, unknownKeys, deadlines }: AuthenticateDeps,
  clientAddress: string,
  secret: string,
): Promise<Principal | null> {
  const within = <Value>(work: Promise<Value>): Promise<Value> =>
    withDeadline(work, deadlines.findMs, 'finding a principal');
  const find = () => within(principals.findPrincipal(secret));
  if (!principals.isUnseen(secret)) return find();
  return within(unknownKeys.lookUp(clientAddress, principals.digestOf(secret), find));
}
