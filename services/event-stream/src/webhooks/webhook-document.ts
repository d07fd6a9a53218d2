import {
  type webhookAttempt,
  type webhookAttemptError,
  webhookDelivery,
  webhookEndpoint,
  webhookPingType,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { accountId, projectId, webhookEndpointId } from '@inventory/contracts/ids';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { workField } from '@inventory/work/work-field';
import type { Db } from 'mongodb';
import { z } from 'zod';
import type { EndpointSecret, SecretRotation } from './secret-rotation.domain.ts';

/** `new` before the first response, `fast` after one within a second, else `slow`. */
const endpointPace = z.enum(['new', 'fast', 'slow']);
export type EndpointPace = z.infer<typeof endpointPace>;
export const endpointPaces = endpointPace.options;

/** A rotation under an Idempotency-Key, with the secret that it created. */
const sealedRotation = webhookRotation.out.extend({
  idempotencyKey: z.string(),
  sealed: z.string(),
  atMs: z.int(),
});

const health = z.object({
  failures: z.int(),
  failingSinceMs: z.int().nullable(),
  lastFailureMs: z.int().nullable(),
  pausedUntilMs: z.int(),
});

/**
 * One endpoint in one of its Project's slots. The `_id` is Project and slot number, acquired by
 * insert and released by delete: so a Project never has more endpoints than slots.
 */
const endpointFields = webhookEndpoint.out.omit({ failingSinceMs: true, secrets: true }).extend({
  _id: z.string(),
  accountId,
  /** Position of the first event without a delivery. */
  nextPosition: z.int(),
  health,
  /**
   * The version that began this health: its URL was changed, or it was enabled. The result of a request
   * that was begun before says nothing about it.
   */
  healthVersion: z.int().default(0),
  /** How fast it responded last, by which it is claimed. */
  pace: endpointPace,
  /**
   * Since when the oldest delivery is due that its last claim left. Null where it left none, and
   * where it must not be sent to: it is paused or disabled, or its Project may not have events.
   */
  lateSinceMs: z.int().nullable().default(null),
  /** It is being deleted. */
  isRemoved: z.boolean(),
  /** Grows with each change by a customer or an operator, and when it is disabled; a write compares it. */
  version: z.int(),
});

/** As it is stored, with its secrets encrypted. */
const endpoint = endpointFields.extend({
  /** The newest first. */
  secrets: z.array(webhookEndpoint.out.shape.secrets.element.extend({ sealed: z.string() })),
  /** The oldest first. */
  rotations: z.array(sealedRotation),
  /** Due when it has something to send or to end; absent while it has not. */
  work: workField.exactOptional(),
});
export type EndpointDocument = Readonly<z.infer<typeof endpoint>>;

/** An endpoint with its secrets decrypted. */
export interface WebhookEndpoint extends Readonly<z.infer<typeof endpointFields>> {
  readonly secrets: readonly EndpointSecret[];
  readonly rotations: readonly SecretRotation[];
}

/** One request and its result. */
export type DeliveryAttempt = Readonly<z.output<typeof webhookAttempt>>;
export type AttemptError = z.infer<typeof webhookAttemptError>;

/** One event for one endpoint; the `_id` is both, so that a second insert is a duplicate. */
const delivery = webhookDelivery.out.extend({
  _id: z.string(),
  endpointId: webhookEndpointId,
  projectId,
  /** The bytes of every attempt. */
  body: z.string(),
  /** Orders an endpoint's deliveries by time: milliseconds and event. */
  orderKey: z.string(),
  /** When the event was appended to the log, which a time range refers to; null for a test. */
  appendedAtMs: z.int().nullable(),
  /** Failed attempts since it was created or redelivered. */
  failures: z.int(),
});
export type WebhookDelivery = Readonly<z.infer<typeof delivery>>;

/** A delivery to be inserted. */
const newDelivery = delivery.pick({
  endpointId: true,
  projectId: true,
  eventId: true,
  type: true,
  body: true,
  appendedAtMs: true,
});
export type NewDelivery = Readonly<z.infer<typeof newDelivery>>;

/** What an endpoint is claimed by. */
const dueEndpoint = endpoint.pick({ _id: true, endpointId: true, accountId: true });
export type DueEndpoint = Readonly<z.infer<typeof dueEndpoint>>;
const claimedEndpoint = dueEndpoint.extend({ work: endpoint.shape.work });

export const webhookDocuments = {
  endpoint: { collection: 'webhookEndpoints', schema: endpoint },
  delivery: { collection: 'webhookDeliveries', schema: delivery },
  claimed: { collection: 'webhookEndpoints', schema: claimedEndpoint },
};

export function openWebhookCollections(db: Db) {
  return {
    endpoints: db.collection<EndpointDocument>(webhookDocuments.endpoint.collection),
    deliveries: db.collection<WebhookDelivery>(webhookDocuments.delivery.collection),
  };
}

const workOnly = whereExists('work.dueAtMs');
const pingsOnly = { partialFilterExpression: { type: webhookPingType } };

export const webhookIndexes: readonly CollectionIndexes[] = [
  {
    collection: webhookDocuments.endpoint.collection,
    indexes: [
      { name: 'endpoint_id', keys: { endpointId: 1 }, options: { unique: true } },
      { name: 'due', keys: { pace: 1, 'work.dueAtMs': 1, accountId: 1 }, options: workOnly },
      { name: 'account_due', keys: { accountId: 1, 'work.dueAtMs': 1 }, options: workOnly },
      { name: 'late_since', keys: { lateSinceMs: 1 } },
    ],
  },
  {
    collection: webhookDocuments.delivery.collection,
    shardKey: { endpointId: 1, _id: 1 },
    indexes: [
      // The queue of an endpoint.
      { name: 'pending', keys: { state: 1, endpointId: 1, nextAttemptAtMs: 1 } },
      // Counts the backlog.
      { name: 'next_attempt', keys: { state: 1, nextAttemptAtMs: 1 } },
      { name: 'endpoint_pings', keys: { endpointId: 1, state: 1 }, options: pingsOnly },
      { name: 'order_key', keys: { endpointId: 1, orderKey: 1 } },
      { name: 'state_order_key', keys: { endpointId: 1, state: 1, orderKey: 1 } },
      { name: 'appended', keys: { endpointId: 1, appendedAtMs: 1 } },
      { name: 'created', keys: { createdAtMs: 1 } },
    ],
  },
];
