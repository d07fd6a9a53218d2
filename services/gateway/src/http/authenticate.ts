import { Refused } from '@inventory/http/refused';
import { withDeadline } from '@inventory/runtime/wait';
import type { Deadlines } from '../deadlines.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { PublicMiddleware } from './request-state.ts';

/** The Principal of a secret; null for every secret that is not valid now, whatever the reason. */
export interface PrincipalCache {
  findPrincipal(secret: string): Promise<Principal | null>;
  /** The digest by which a secret is stored and looked up. */
  digestOf(secret: string): string;
}

/** A key is read from its header only, which must occur once. */
export function authenticate(
  principals: PrincipalCache,
  deadlines: Pick<Deadlines, 'findMs'>,
): PublicMiddleware {
  return async (context, next) => {
    const [secret, ...more] = context.req.headersDistinct['x-api-key'] ?? [];
    if (secret === undefined || secret === '') throw new Refused({ code: 'missing_api_key' });
    const found = more.length === 0 ? principals.findPrincipal(secret) : null;
    const principal = found && (await withDeadline(found, deadlines.findMs, 'finding a principal'));
    if (principal === null) throw new Refused({ code: 'invalid_api_key' });
    context.state.principal = principal;
    context.state.secretDigest = principals.digestOf(secret);
    await next();
  };
}
