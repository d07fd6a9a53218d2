import { Refused } from '@inventory/http/refused';
import { withDeadline } from '@inventory/runtime/wait';
import type { Deadlines } from '../deadlines.ts';
import type { Authority } from '../tenancy/authority.domain.ts';
import type { PublicMiddleware } from './request-state.ts';

/** What a secret stands for; null for every secret that is not valid now, whatever the reason. */
export interface PrincipalCache {
  find(secret: string): Promise<Authority | null>;
  /** What a secret is remembered by. */
  digestOf(secret: string): string;
}

/** A key counts only in its header, and only once. */
export function authenticate(
  authorities: PrincipalCache,
  deadlines: Pick<Deadlines, 'findMs'>,
): PublicMiddleware {
  return async (context, next) => {
    const [secret, ...more] = context.req.headersDistinct['x-api-key'] ?? [];
    if (secret === undefined || secret === '') throw new Refused({ code: 'missing_api_key' });
    const found = more.length === 0 ? authorities.find(secret) : null;
    const authority =
      found && (await withDeadline(found, deadlines.findMs, 'finding an authority'));
    if (authority === null) throw new Refused({ code: 'invalid_api_key' });
    context.state.authority = authority;
    context.state.secretDigest = authorities.digestOf(secret);
    await next();
  };
}
