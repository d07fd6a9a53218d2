import { Refused } from '@inventory/http/refused';
import { allowsAddress, type NetworkPolicy } from '../tenancy/network-policy.domain.ts';
import type { PublicMiddleware } from './request-state.ts';

const issue = {
  in: 'header',
  field: 'X-Forwarded-Proto',
  reason: 'must be https: send requests over HTTPS, and replace a key that was sent without it',
} as const;

/**
 * Refuses what reached a trusted proxy over plain HTTP, before its key is read. A redirect would have clients send
 * every key in the clear, and succeed. Of several proxies the first entry is of the client's own connection.
 */
export function refusePlainHttp(trustedProxies: NetworkPolicy): PublicMiddleware {
  return async ({ req }, next) => {
    const [forwarded = ''] = req.headersDistinct['x-forwarded-proto'] ?? [];
    const isPlain = /^\s*http\s*(,|$)/i.test(forwarded);
    if (isPlain && trustedProxies.length > 0) {
      const isTrusted = allowsAddress([trustedProxies], req.socket.remoteAddress ?? '');
      if (isTrusted) throw new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
    }
    await next();
  };
}
