import { Refused } from '@inventory/http/refused';
import { withDeadline } from '@inventory/runtime/wait';
import { allowsAddress } from '../tenancy/network-policy.domain.ts';
import { mayUse, type Principal } from '../tenancy/principal.domain.ts';
import type { PublicFrame } from './public-frame.ts';
import { type PublicMiddleware, type RequestState, required } from './request-state.ts';

/** An operation of another environment is not refused: there is none. */
export function checkEnvironment(): PublicMiddleware {
  return async ({ state }, next) => {
    const { environment } = required(state, 'route');
    if (environment !== undefined && environment !== required(state, 'principal').environment)
      throw new Refused({ code: 'route_not_found' });
    await next();
  };
}

export function checkNetwork(): PublicMiddleware {
  return async ({ state }, next) => {
    requireNetwork(state);
    await next();
  };
}

export function checkPermission(): PublicMiddleware {
  return async ({ state }, next) => {
    requirePermission(state);
    await next();
  };
}

/**
 * Authorizes again, by what is stored now, a request whose body was read, which may take a minute, and
 * one that begins a long response: a key that has ended mints nothing, spends nothing and begins no
 * download. For any other one nothing was waited for since its Principal was found, which the cache
 * keeps for 5 s at most.
 */
export async function authorizeAgain(
  { principals, deadlines }: PublicFrame,
  state: RequestState,
): Promise<void> {
  const { input, isOpen = false, isLong = false } = required(state, 'route');
  if (isOpen || (input.body === undefined && !isLong)) return;
  const reading = principals.readPrincipal(required(state, 'secretDigest'));
  const principal = await withDeadline(reading, deadlines.findMs, 'reading a principal');
  if (principal === null) throw new Refused({ code: 'invalid_api_key' });
  state.principal = principal;
  requireNetwork(state);
  requirePermission(state);
}

/** The client must be in every network policy of its Principal. */
function requireNetwork(state: RequestState): void {
  const { networkPolicies } = required(state, 'principal');
  if (allowsAddress(networkPolicies, required(state, 'clientAddress'))) return;
  throw new Refused({ code: 'permission_denied', detail: { reason: 'network_policy' } });
}

function requirePermission(state: RequestState): void {
  const { permission } = required(state, 'route');
  if (permission === undefined || mayUse(required(state, 'principal').permissions, permission))
    return;
  throw new Refused({ code: 'permission_denied', detail: { permission } });
}

export function requireEvents({ eventsEnabled }: Principal): void {
  if (!eventsEnabled) {
    throw new Refused({ code: 'permission_denied', detail: { reason: 'events_not_enabled' } });
  }
}
