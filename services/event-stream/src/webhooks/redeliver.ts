import type { webhookRedelivered } from '@inventory/contracts/http/webhooks';
import type { EventId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { z } from 'zod';
import type { TimeRange } from '../log/project-log-store.ts';
import type { Webhooks } from './open-webhooks.ts';
import { deliveryOf } from './serve-endpoint.ts';
import type { WebhookEndpoint } from './webhook-document.ts';

type Redelivered = z.output<typeof webhookRedelivered>;

/** Log entries, and deliveries of events that the log keeps no more, which one request covers. */
const entriesMax = 10_000;
/** Entries at a time, with their texts. */
const entriesAtOnce = 500;

/**
 * Schedules one event again, regardless of its state; one without a delivery gets one.
 * Throws `event_not_found`.
 */
export async function redeliverEvent(
  webhooks: Webhooks,
  endpoint: WebhookEndpoint,
  eventId: EventId,
): Promise<Redelivered> {
  const nowMs = webhooks.clock.now();
  if (!(await webhooks.deliveries.restartDelivery(endpoint.endpointId, eventId, nowMs))) {
    const entry = await webhooks.log.findEntry(endpoint.projectId, eventId);
    if (entry === null) throw new Refused({ code: 'event_not_found' });
    await webhooks.deliveries.insertMissing([deliveryOf(endpoint, entry)], nowMs);
  }
  await webhooks.wake(endpoint.endpointId);
  return { redelivered: 1, continueSinceMs: null };
}

/**
 * Schedules again what was appended in a time range: terminal deliveries, and kept events of the
 * endpoint's types without a delivery.
 */
export async function redeliverRange(
  webhooks: Webhooks,
  endpoint: WebhookEndpoint,
  range: TimeRange,
): Promise<Redelivered> {
  const { log, deliveries, clock, wake } = webhooks;
  const nexts = await Promise.all([
    log.findAppendedAfter(endpoint.projectId, range, entriesMax),
    deliveries.findAppendedAfter(endpoint.endpointId, range, entriesMax),
  ]);
  // What is beyond the limit belongs to the next request.
  const known = nexts.filter((next) => next !== null);
  const continueSinceMs = known.length > 0 ? Math.min(...known) : null;
  const untilMs = continueSinceMs === null ? range.untilMs : continueSinceMs - 1;
  const covered = { ...range, untilMs };
  const restarted = await deliveries.restartRange(endpoint.endpointId, covered, clock.now());
  const made = await insertMissed(webhooks, endpoint, covered);
  await wake(endpoint.endpointId);
  return { redelivered: restarted + made, continueSinceMs };
}

/**
 * Kept events of its types without a delivery get one; those from its position on get theirs from the
 * log.
 */
async function insertMissed(
  { log, deliveries, clock }: Webhooks,
  endpoint: WebhookEndpoint,
  range: TimeRange,
): Promise<number> {
  const { projectId, types, nextPosition } = endpoint;
  let count = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const entries = await log.listBetween(projectId, { ...range, after }, entriesAtOnce);
    const missed = entries.filter(
      ({ event: { type }, position }) => types.includes(type) && position < nextPosition,
    );
    const made = missed.map((entry) => deliveryOf(endpoint, entry));
    count += await deliveries.insertMissing(made, clock.now());
    after = entries[entriesAtOnce - 1]?.position;
  }
  return count;
}
