import { timingSafeEqual } from 'node:crypto';
import type { RequestId } from '@inventory/contracts/ids';
import type { MatchState } from '@inventory/http/match-route';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Logger } from '@inventory/runtime/logger';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { Context, Middleware, ParameterizedContext } from 'koa';
import type { PeerBuckets } from '../http/limits/peer-buckets.ts';
import type { Audit } from './audit.ts';
import type { AuditedCall } from './audit-store.ts';
import type { BoundOperatorRoute } from './operator-route.ts';
import type { Operator } from './operators.domain.ts';
import { hasRole } from './operators.domain.ts';

/**
 * Finds the operator of a token. Each wrong one takes a token of the bucket of its peer, which bounds
 * what wrong ones cost in the log and the audit. A right one is served whatever the bucket
 * has: operators share addresses.
 */
export function identifyOperator({
  operators,
  attempts,
  audit,
  logger,
}: {
  readonly operators: readonly Operator[];
  /** Wrong tokens of each peer. */
  readonly attempts: PeerBuckets;
  readonly audit: Audit;
  readonly logger: Logger;
}): Middleware<OperatorState> {
  return async (context, next) => {
    const token = bearerOf(context);
    const operator = token === '' ? undefined : operatorOf(operators, secretDigest(token));
    if (operator === undefined) {
      const { peer } = callOf(context, null);
      if (!attempts.take(peer)) throw throttled(attempts.secondsUntilToken(peer) ?? 1);
      logger.warn({ requestId: context.state.requestId, peer }, 'no operator token');
      await audit.refused(callOf(context, null), null, 'operator_token_required');
      context.set('WWW-Authenticate', 'Bearer');
      throw new Refused({ code: 'operator_token_required' });
    }
    context.state.operator = operator;
    context.state.call = callOf(context, operator);
    await next();
  };
}

function throttled(seconds: number): Refused {
  return new Refused({ code: 'operator_throttled', retry_after_seconds: seconds });
}

/** In constant time: how much of a digest matches is not disclosed. */
function operatorOf(operators: readonly Operator[], tokenDigest: string): Operator | undefined {
  const given = Buffer.from(tokenDigest);
  return operators.filter((one) => timingSafeEqual(Buffer.from(one.tokenDigest), given)).at(0);
}

/** Refuses an operator without the role of the matched route. */
export function requireRole(audit: Audit): Middleware<OperatorState> {
  return async ({ state }, next) => {
    const { operator, route, call } = state;
    invariant(operator !== undefined && call !== undefined, 'the request has no operator');
    invariant(route !== undefined, 'the request has no route');
    if (!hasRole(operator, route.role)) {
      await audit.refused(call, route.action ?? null, 'operator_role_required');
      throw new Refused({ code: 'operator_role_required', detail: { role: route.role } });
    }
    await next();
  };
}

/** Empty without exactly one token in the header. */
function bearerOf(context: Context): string {
  const [scheme = '', token = '', ...rest] = context.get('authorization').split(' ');
  return scheme.toLowerCase() === 'bearer' && rest.length === 0 ? token : '';
}

const pathCharactersMax = 300;

function callOf(
  { req, state }: ParameterizedContext<OperatorState>,
  operator: Operator | null,
): AuditedCall {
  const [path = ''] = (req.url ?? '').split('?', 1);
  return {
    requestId: state.requestId,
    operator: operator?.name ?? null,
    peer: req.socket.remoteAddress ?? '',
    method: req.method ?? '',
    path: path.slice(0, pathCharactersMax),
  };
}

/** What the middleware of the operator API establishes about a request. */
export interface OperatorState extends MatchState<BoundOperatorRoute> {
  requestId: RequestId;
  operator?: Operator;
  call?: AuditedCall;
}
