import type { MatchState } from '@inventory/http/match-route';
import type { AuditedCall } from './audit-entry.domain.ts';
import type { BoundOperatorRoute } from './operator-route.ts';
import type { Operator } from './operators.domain.ts';

/** What the middleware of the operator API establishes about a request. */
export interface OperatorState extends MatchState<BoundOperatorRoute> {
  requestId: string;
  operator?: Operator;
  call?: AuditedCall;
}
