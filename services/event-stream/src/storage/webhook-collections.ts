import type { AccountId, EventId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import type { Collection, Db } from 'mongodb';
import type { AttemptError, WebhookDelivery } from '../domain/webhook-delivery.ts';
import type { DisabledReason, EventType } from '../domain/webhook-endpoint.ts';

export interface SealedSecretDocument {
  readonly sealed: string;
  readonly createdAt: Date;
  readonly endsAt: Date | null;
}

/**
 * One endpoint in one of its Project's places. The `_id` is Project and place number, won by
 * insert and given back by delete: so a Project never has more than there are places.
 */
export interface EndpointDocument {
  readonly _id: string;
  readonly endpointId: WebhookEndpointId;
  readonly projectId: ProjectId;
  readonly accountId: AccountId;
  readonly url: string;
  readonly description: string | null;
  readonly types: readonly EventType[];
  readonly state: 'enabled' | 'disabled';
  readonly disabledReason: DisabledReason | null;
  readonly secrets: readonly SealedSecretDocument[];
  readonly nextPosition: number;
  /** When the log is looked at next, doorbell or not. */
  readonly nextReadAt: Date;
  /** Grows with each change of secrets or health, which are read before they are written. */
  readonly version: number;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastFailureAt: Date | null;
  readonly pausedUntil: Date | null;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface AttemptDocument {
  readonly at: Date;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: AttemptError | null;
}

/** One event for one endpoint, which is what its `_id` says: inserted again it is still one. */
export interface DeliveryDocument {
  readonly _id: string;
  readonly endpointId: WebhookEndpointId;
  readonly projectId: ProjectId;
  readonly eventId: EventId;
  readonly type: WebhookDelivery['type'];
  readonly body: string;
  readonly state: WebhookDelivery['state'];
  readonly failure: WebhookDelivery['failure'];
  /** Orders an endpoint's deliveries by time: milliseconds and event. */
  readonly place: string;
  readonly createdAt: Date;
  /** When the event got its place in the log, which is what a time range means; null for a test. */
  readonly appendedAt: Date | null;
  /** When it is due; while it is being sent, when somebody else may take it on. */
  readonly nextAttemptAt: Date | null;
  readonly failures: number;
  readonly claim: number;
  readonly attempts: readonly AttemptDocument[];
  readonly attemptsTotal: number;
}

export function openEndpointCollection(db: Db): Collection<EndpointDocument> {
  return db.collection('webhookEndpoints');
}

export function openDeliveryCollection(db: Db): Collection<DeliveryDocument> {
  return db.collection('webhookDeliveries');
}

export const webhookIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'webhookEndpoints',
    indexes: [
      { name: 'endpoint', keys: { endpointId: 1 } },
      { name: 'account', keys: { accountId: 1 } },
      { name: 'next_read', keys: { state: 1, nextReadAt: 1 } },
    ],
  },
  {
    collection: 'webhookDeliveries',
    indexes: [
      { name: 'due', keys: { state: 1, nextAttemptAt: 1 } },
      { name: 'place', keys: { endpointId: 1, place: 1 } },
      { name: 'created_at', keys: { createdAt: 1 } },
    ],
  },
];
