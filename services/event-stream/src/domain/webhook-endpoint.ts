import type { AccountId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { EndpointHealth } from './endpoint-health.ts';
import type { LoggedEvent } from './project-event.ts';

export type EventType = LoggedEvent['type'];
export type DisabledReason = 'requested' | 'gone' | 'failing';

export interface EndpointSecret {
  /** As its customer holds it: `whsec_` and base64. */
  readonly secret: string;
  readonly createdAtMs: number;
  /** When a replaced secret stops signing; null for the newest one. */
  readonly endsAtMs: number | null;
}

/** Where a Project's events are sent. */
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
  /** Place in the log of the first event that has no delivery yet. */
  readonly nextPosition: number;
  readonly health: EndpointHealth;
  /** Grows with each change, so that a change of what was read meanwhile is noticed. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

/** Secrets that a request is signed with, the newest first: two while one is being replaced. */
export function signingSecrets(
  { secrets }: Pick<WebhookEndpoint, 'secrets'>,
  nowMs: number,
): string[] {
  return secrets
    .filter(({ endsAtMs }) => endsAtMs === null || endsAtMs > nowMs)
    .map(({ secret }) => secret);
}

/**
 * A new secret beside the present one, which ends after the overlap. One that was ending already
 * leaves at once: there are never more than two.
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
