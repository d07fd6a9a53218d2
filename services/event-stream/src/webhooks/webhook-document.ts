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
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { workField } from '@inventory/work/work-field';
import type { Db } from 'mongodb';
import { z } from 'zod';

const endpointPace = z.enum(['new', 'fast', 'slow']);

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
  /** How fast it responded last, by which it has its turns. */
  pace: endpointPace,
  /** Due when it has something to send or to end; absent while it has not. */
  work: workField.exactOptional(),
  /** Set while it is being deleted. */
  removedAt: z.date().exactOptional(),
  /** Grows with each change by a customer or an operator, and when it is disabled. */
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
  /** When it is due. */
  nextAttemptAt: z.date().nullable(),
  failures: z.int(),
  attempts: z.array(attempt).readonly(),
  attemptsTotal: z.int(),
});
export type DeliveryDocument = Readonly<z.infer<typeof delivery>>;

/** What a turn of an endpoint is claimed by. */
const endpointTurn = endpoint.pick({
  ...{ _id: true, endpointId: true, projectId: true, accountId: true, work: true },
});

export const webhookDocuments = {
  endpoint: { collection: 'webhookEndpoints', schema: endpoint },
  delivery: { collection: 'webhookDeliveries', schema: delivery },
  turn: { collection: 'webhookEndpoints', schema: endpointTurn },
};

export function openWebhookCollections(db: Db) {
  return {
    endpoints: db.collection<EndpointDocument>(webhookDocuments.endpoint.collection),
    deliveries: db.collection<DeliveryDocument>(webhookDocuments.delivery.collection),
  };
}

const workOnly = whereExists('work.dueAt');
const pingsOnly = { partialFilterExpression: { type: webhookPingType } };

export const webhookIndexes: readonly CollectionIndexes[] = [
  {
    collection: webhookDocuments.endpoint.collection,
    indexes: [
      { name: 'endpoint', keys: { endpointId: 1 } },
      { name: 'turn', keys: { pace: 1, 'work.dueAt': 1, accountId: 1 }, options: workOnly },
      { name: 'account_turn', keys: { accountId: 1, 'work.dueAt': 1 }, options: workOnly },
    ],
  },
  {
    collection: webhookDocuments.delivery.collection,
    indexes: [
      // The queue of an endpoint.
      { name: 'queue', keys: { state: 1, endpointId: 1, nextAttemptAt: 1 } },
      // Counts the backlog.
      { name: 'due', keys: { state: 1, nextAttemptAt: 1 } },
      { name: 'endpoint_pings', keys: { endpointId: 1, state: 1 }, options: pingsOnly },
      { name: 'place', keys: { endpointId: 1, place: 1 } },
      { name: 'state_place', keys: { endpointId: 1, state: 1, place: 1 } },
      { name: 'appended_at', keys: { endpointId: 1, appendedAt: 1 } },
      { name: 'created_at', keys: { createdAt: 1 } },
    ],
  },
];
