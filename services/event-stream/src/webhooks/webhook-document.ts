import { eventTypeName } from '@inventory/contracts/http/project-event';
import {
  webhookAttemptError,
  webhookDeliveryState,
  webhookDeliveryType,
  webhookDisabledReason,
  webhookEndpointState,
  webhookPingType,
} from '@inventory/contracts/http/webhooks';
import { accountId, eventId, projectId, webhookEndpointId } from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import type { Collection, Db } from 'mongodb';
import { z } from 'zod';

const sealedSecret = z.object({
  sealed: z.string(),
  createdAt: z.date(),
  endsAt: z.date().nullable(),
});

/** A rotation under an Idempotency-Key, with the secret that it created. */
const sealedRotation = z.object({
  key: z.string(),
  overlapMs: z.int(),
  isForced: z.boolean(),
  sealed: z.string(),
  at: z.date(),
});

/**
 * One endpoint in one of its Project's slots. The `_id` is Project and slot number, acquired by
 * insert and released by delete: so a Project never has more endpoints than slots.
 */
const endpoint = z.object({
  _id: z.string(),
  endpointId: webhookEndpointId,
  projectId,
  accountId,
  url: z.string(),
  description: z.string().nullable(),
  types: z.array(eventTypeName).readonly(),
  state: webhookEndpointState,
  disabledReason: webhookDisabledReason.nullable(),
  secrets: z.array(sealedSecret).readonly(),
  rotations: z.array(sealedRotation).readonly().exactOptional(),
  nextPosition: z.int(),
  /** When the log is read next, notification or not. */
  nextReadAt: z.date(),
  /** When its queue is due, see `EndpointQueues`; absent while it is empty. */
  queueDueAt: z.date().exactOptional(),
  /** Grows with each enqueued delivery. */
  queueVersion: z.int().exactOptional(),
  /** Grows with each change of secrets or health, which are read before they are written. */
  version: z.int(),
  failures: z.int(),
  failingSince: z.date().nullable(),
  lastFailureAt: z.date().nullable(),
  pausedUntil: z.date().nullable(),
  createdAt: z.date(),
  changedAt: z.date(),
});
export type EndpointDocument = Readonly<z.infer<typeof endpoint>>;

const attempt = z.object({
  at: z.date(),
  status: z.int().nullable(),
  durationMs: z.number(),
  error: webhookAttemptError.nullable(),
  /** Absent where it was stored without. */
  responseBody: z.string().nullable().exactOptional(),
});
export type AttemptDocument = z.infer<typeof attempt>;

/** One event for one endpoint; the `_id` is both, so that a second insert is a duplicate. */
const delivery = z.object({
  _id: z.string(),
  endpointId: webhookEndpointId,
  projectId,
  eventId,
  type: webhookDeliveryType,
  body: z.string(),
  state: webhookDeliveryState,
  failure: z.enum(['attempts_exhausted', 'endpoint_disabled']).nullable(),
  /** Orders an endpoint's deliveries by time: milliseconds and event. */
  place: z.string(),
  createdAt: z.date(),
  /** When the event was appended to the log, which a time range refers to; null for a test. */
  appendedAt: z.date().nullable(),
  /** When it is due; while it is being sent, when another replica may claim it. */
  nextAttemptAt: z.date().nullable(),
  failures: z.int(),
  claim: z.int(),
  /** The latest claim of several that were made in one write. */
  claimedBy: z.string().exactOptional(),
  attempts: z.array(attempt).readonly(),
  attemptsTotal: z.int(),
});
export type DeliveryDocument = Readonly<z.infer<typeof delivery>>;

/** The replica that sends to the endpoints of an account. */
const accountLease = z.object({ _id: accountId, owner: z.string(), until: z.date() });
export type AccountLeaseDocument = Readonly<z.infer<typeof accountLease>>;

export const webhookDocuments = {
  endpoint: { collection: 'webhookEndpoints', schema: endpoint },
  delivery: { collection: 'webhookDeliveries', schema: delivery },
  accountLease: { collection: 'webhookAccountLeases', schema: accountLease },
};

export function openEndpointCollection(db: Db): Collection<EndpointDocument> {
  return db.collection(webhookDocuments.endpoint.collection);
}

export function openDeliveryCollection(db: Db): Collection<DeliveryDocument> {
  return db.collection(webhookDocuments.delivery.collection);
}

export function openAccountLeaseCollection(db: Db): Collection<AccountLeaseDocument> {
  return db.collection(webhookDocuments.accountLease.collection);
}

const pingsOnly = { partialFilterExpression: { type: webhookPingType } };

export const webhookIndexes: readonly CollectionIndexes[] = [
  {
    collection: webhookDocuments.endpoint.collection,
    indexes: [
      { name: 'endpoint', keys: { endpointId: 1 } },
      { name: 'next_read', keys: { state: 1, nextReadAt: 1 } },
      { name: 'queue_due', keys: { state: 1, queueDueAt: 1 } },
    ],
  },
  {
    collection: webhookDocuments.delivery.collection,
    indexes: [
      // The queue of an endpoint, and the endpoints with a queue.
      { name: 'queue', keys: { state: 1, endpointId: 1, nextAttemptAt: 1 } },
      // Counts the backlog.
      { name: 'due', keys: { state: 1, nextAttemptAt: 1 } },
      { name: 'pings', keys: { type: 1, state: 1, nextAttemptAt: 1 }, options: pingsOnly },
      { name: 'place', keys: { endpointId: 1, place: 1 } },
      { name: 'state_place', keys: { endpointId: 1, state: 1, place: 1 } },
      { name: 'appended_at', keys: { endpointId: 1, appendedAt: 1 } },
      { name: 'created_at', keys: { createdAt: 1 } },
    ],
  },
];
