import type { EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf, dateOrNull } from '@inventory/runtime/clock';
import type { Attempt, DeliveryProgress, WebhookDelivery } from './webhook-delivery.domain.ts';
import {
  type AttemptDocument,
  type DeliveryDocument,
  webhookDocuments,
} from './webhook-document.ts';

/** A delivery to be inserted. */
export type NewDelivery = Pick<
  WebhookDelivery,
  'endpointId' | 'projectId' | 'eventId' | 'type' | 'body' | 'appendedAtMs'
>;

export function keyOf(endpointId: WebhookEndpointId, eventId: EventId): string {
  return `${endpointId}/${eventId}`;
}

const placeDigits = 15;

/** Sorts before the places of all deliveries created at the time or later. */
export function placeAt(timeMs: number): string {
  return String(timeMs).padStart(placeDigits, '0');
}

export function toDocDelivery(delivery: NewDelivery, nowMs: number): DeliveryDocument {
  const { endpointId, projectId, eventId, type, body, appendedAtMs } = delivery;
  const createdAt = dateOf(nowMs);
  return {
    _id: keyOf(endpointId, eventId),
    ...{ endpointId, projectId, eventId, type, body, createdAt },
    state: 'pending',
    failure: null,
    place: `${placeAt(nowMs)}/${eventId}`,
    appendedAt: dateOrNull(appendedAtMs),
    nextAttemptAt: createdAt,
    failures: 0,
    attempts: [],
    attemptsTotal: 0,
  };
}

export function fromDocDelivery(stored: DeliveryDocument): WebhookDelivery {
  const doc = parseDocument(webhookDocuments.delivery, stored);
  const { endpointId, projectId, eventId, type, body, state, failure } = doc;
  const { failures, attemptsTotal } = doc;
  return {
    ...{ endpointId, projectId, eventId, type, body, state, failure },
    ...{ failures, attemptsTotal },
    createdAtMs: doc.createdAt.getTime(),
    appendedAtMs: doc.appendedAt?.getTime() ?? null,
    nextAttemptAtMs: doc.nextAttemptAt?.getTime() ?? null,
    attempts: doc.attempts.map(({ at, responseBody = null, ...attempt }) => ({
      ...attempt,
      responseBody,
      atMs: at.getTime(),
    })),
  };
}

export function toDocAttempt({ atMs, ...attempt }: Attempt): AttemptDocument {
  return { ...attempt, at: dateOf(atMs) };
}

export function toDocProgress(progress: DeliveryProgress): Partial<DeliveryDocument> {
  switch (progress.state) {
    case 'delivered':
      return { state: 'delivered', failure: null, nextAttemptAt: null };
    case 'pending':
      return { failures: progress.failures, nextAttemptAt: dateOf(progress.nextAttemptAtMs) };
    case 'failed':
      return {
        state: 'failed',
        failure: progress.failure,
        failures: progress.failures,
        nextAttemptAt: null,
      };
  }
}
