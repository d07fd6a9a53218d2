import type { AccountId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { EndpointHealth } from './endpoint-health.ts';
import type { LoggedEvent } from './project-event.ts';

export type EventType = LoggedEvent['type'];
export type DisabledReason = 'requested' | 'gone' | 'failing';

export interface EndpointSecret {
  /** As shown to the customer: `whsec_` and base64. */
  readonly secret: string;
  readonly createdAtMs: number;
  /** When a replaced secret stops signing; null for the newest one. */
  readonly endsAtMs: number | null;
}

/** A receiver of a Project's events. */
export interface WebhookEndpoint {
  readonly id: WebhookEndpointId;
  readonly projectId: ProjectId;
  readonly accountId: AccountId;
  readonly url: string;
  readonly description: string | null;
  readonly types: readonly EventType[];
  readonly state: 'enabled' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  /** The newest first. */
  readonly secrets: readonly EndpointSecret[];
  /** Position of the first event without a delivery. */
  readonly nextPosition: number;
  readonly health: EndpointHealth;
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

/**
 * Adds a new secret; the present one ends after the overlap. A previous one is removed at once:
 * there are never more than two.
 */
export function rotated(
  secrets: readonly EndpointSecret[],
  { secret, overlapMs, nowMs }: { secret: string; overlapMs: number; nowMs: number },
): EndpointSecret[] {
  const present = secrets.filter(({ endsAtMs }) => endsAtMs === null);
  return [
    { secret, createdAtMs: nowMs, endsAtMs: null },
    ...present.map((old) => ({ ...old, endsAtMs: nowMs + overlapMs })),
  ];
}
