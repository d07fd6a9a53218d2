import type { AccountId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { EndpointHealth } from './endpoint-health.domain.ts';
import type { EndpointSecret, SecretRotation } from './secret-rotation.domain.ts';

export type DisabledReason = 'requested' | 'gone' | 'failing';

/** `new` before the first response, `fast` after one within a second, else `slow`. */
export type EndpointPace = 'new' | 'fast' | 'slow';

/** A receiver of a Project's events. */
export interface WebhookEndpoint {
  readonly id: WebhookEndpointId;
  readonly projectId: ProjectId;
  readonly accountId: AccountId;
  readonly url: string;
  readonly description: string | null;
  readonly types: readonly string[];
  readonly state: 'enabled' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  /** The newest first. */
  readonly secrets: readonly EndpointSecret[];
  /** Rotations under an Idempotency-Key, oldest first. */
  readonly rotations: readonly SecretRotation[];
  /** Position of the first event without a delivery. */
  readonly nextPosition: number;
  readonly health: EndpointHealth;
  readonly pace: EndpointPace;
  /** It is being deleted. */
  readonly isRemoved: boolean;
  /** Increases with each change; a write compares it. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

/** Secrets that sign a request, newest first: two during an overlap. */
export function signingSecrets(
  { secrets }: Pick<WebhookEndpoint, 'secrets'>,
  nowMs: number,
): string[] {
  return secrets
    .filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > nowMs)
    .map(({ secret }) => secret);
}
