import { Refused } from '@inventory/http/refused';
import { pause, withDeadline } from '@inventory/runtime/wait';
import { allowsAddress } from '../tenancy/network-policy.domain.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import type { PublicFrame } from './public-frame.ts';
import { type PublicMiddleware, required } from './request-state.ts';

const plainHttpIssue = {
  in: 'header',
  field: 'X-Forwarded-Proto',
  reason: 'must be https: send requests over HTTPS, and replace a key that was sent without it',
} as const;

/**
 * Refuses what reached a trusted proxy over plain HTTP, before its key is read. A redirect would have clients send
 * every key in the clear, and succeed. Of several proxies the first entry is of the client's own connection.
 */
export function refusePlainHttp({ trustedProxies }: PublicFrame): PublicMiddleware {
  return async ({ req }, next) => {
    const [forwarded = ''] = req.headersDistinct['x-forwarded-proto'] ?? [];
    const isPlain = /^\s*http\s*(,|$)/i.test(forwarded);
    if (isPlain && trustedProxies.length > 0) {
      const isTrusted = allowsAddress([trustedProxies], req.socket.remoteAddress ?? '');
      if (isTrusted)
        throw new Refused({ code: 'invalid_request', detail: { issues: [plainHttpIssue] } });
    }
    await next();
  };
}

/** A key is read from its header only, which must occur once. */
export function authenticate(frame: PublicFrame): PublicMiddleware {
  return async (context, next) => {
    const [secret, ...more] = context.req.headersDistinct['x-api-key'] ?? [];
    if (secret === undefined || secret === '') throw new Refused({ code: 'missing_api_key' });
    context.state.clientAddress = frame.clientAddressOf(context.req);
    const { clientAddress } = context.state;
    const principal = more.length === 0 ? await findPrincipal(frame, clientAddress, secret) : null;
    if (principal === null) throw new Refused({ code: 'invalid_api_key' });
    context.state.principal = principal;
    context.state.secretDigest = frame.principals.digestOf(secret);
    await next();
  };
}

export function beforeRequest({ beforeRequest }: PublicFrame): PublicMiddleware {
  return async ({ state }, next) => {
    await beforeRequest(required(state, 'principal'));
    await next();
  };
}

/**
 * Refuses the unknown keys of a client that has sent too many, before a request costs more than its
 * lookup. After a delay: the requests of a connection are handled in order, so it bounds what a
 * connection costs. A key that exists is served as soon as it was found.
 */
export function refuseUnknownKeys(frame: PublicFrame): PublicMiddleware {
  const { principals, unknownKeys, clientAddressOf, deadlines } = frame;
  return async ({ req }, next) => {
    const key = req.headers['x-api-key'];
    if (typeof key === 'string' && principals.isUnseen(key)) {
      const clientAddress = clientAddressOf(req);
      if (unknownKeys.isPastLimit(clientAddress)) {
        await findPrincipal(frame, clientAddress, key).catch(async (error: unknown) => {
          if (!(error instanceof Refused)) return;
          await pause(deadlines.unknownKeyDelayMs);
          throw error;
        });
      }
    }
    await next();
  };
}

/** Rejects with {@link Refused} where the client has sent too many unknown keys, and this is one. */
function findPrincipal(
  { principals, unknownKeys, deadlines }: PublicFrame,
  clientAddress: string,
  secret: string,
): Promise<Principal | null> {
  const within = <Value>(work: Promise<Value>): Promise<Value> =>
    withDeadline(work, deadlines.findMs, 'finding a principal');
  const find = () => within(principals.findPrincipal(secret));
  if (!principals.isUnseen(secret)) return find();
  return within(unknownKeys.lookUp(clientAddress, principals.digestOf(secret), find));
}
