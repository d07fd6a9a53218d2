import type { EventId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { KeptEntry } from '../log/project-log-store.ts';
import type { TimeRange } from './delivery-store.ts';
import type { ManageEndpointsDeps } from './manage-endpoints.ts';
import { deliveryOf } from './serve-endpoint.ts';
import type { WebhookEndpoint } from './webhook-document.ts';

export interface Redelivered {
  readonly redelivered: number;
  /** Where the range continues; null when it is complete. */
  readonly continueSinceMs: number | null;
}

/** Log entries, and deliveries of events that the log keeps no more, which one request covers. */
const entriesMax = 10_000;

/**
 * Schedules one event again, regardless of its state; one without a delivery gets one.
 * Throws `event_not_found`.
 */
export async function redeliverEvent(
  deps: ManageEndpointsDeps,
  endpoint: WebhookEndpoint,
  eventId: EventId,
): Promise<Redelivered> {
  const nowMs = deps.clock.now();
  if (!(await deps.deliveries.restartDelivery(endpoint.id, eventId, nowMs))) {
    const entry = await deps.log.findEntry(endpoint.projectId, eventId);
    if (entry === null) throw new Refused({ code: 'event_not_found' });
    await deps.deliveries.insertMissing([deliveryOf(endpoint, entry)], nowMs);
  }
  await deps.wake(endpoint.id);
  return { redelivered: 1, continueSinceMs: null };
}

/**
 * Schedules again what was appended in a time range: terminal deliveries, and kept events of the
 * endpoint's types without a delivery.
 */
export async function redeliverRange(
  { log, deliveries, clock, wake }: ManageEndpointsDeps,
  endpoint: WebhookEndpoint,
  range: TimeRange,
): Promise<Redelivered> {
  const [entries, nextDeliveryMs] = await Promise.all([
    log.listBetween(endpoint.projectId, range, entriesMax + 1),
    deliveries.findAppendedAfter(endpoint.id, range, entriesMax),
  ]);
  // What is beyond the limit belongs to the next request.
  const nexts = [entries[entriesMax]?.appendedAtMs, nextDeliveryMs].filter((next) => next != null);
  const continueSinceMs = nexts.length > 0 ? Math.min(...nexts) : null;
  const untilMs = continueSinceMs === null ? range.untilMs : continueSinceMs - 1;
  const nowMs = clock.now();
  const restarted = await deliveries.restartRange(endpoint.id, { ...range, untilMs }, nowMs);
  const missed = entries.filter((entry) => isMissed(endpoint, entry, untilMs));
  const made = await deliveries.insertMissing(
    missed.map((entry) => deliveryOf(endpoint, entry)),
    nowMs,
  );
  await wake(endpoint.id);
  return { redelivered: restarted + made, continueSinceMs };
}

/** Entries from the endpoint's position on get their delivery from the log. */
function isMissed(
  { types, nextPosition }: WebhookEndpoint,
  { event: { type }, position, appendedAtMs }: KeptEntry,
  untilMs: number,
): boolean {
  return types.includes(type) && position < nextPosition && appendedAtMs <= untilMs;
}
