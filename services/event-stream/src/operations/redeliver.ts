import type { EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { KeptEntry, ProjectLog } from '../storage/project-log.ts';
import { deliveryOf } from './prepare-deliveries.ts';

export interface RedeliverDeps {
  readonly log: Pick<ProjectLog, 'between' | 'find'>;
  readonly deliveries: Pick<DeliveryStore, 'insertMissing' | 'restart' | 'restartRange'>;
  readonly clock: Clock;
  readonly wake: (endpointId: WebhookEndpointId) => void;
}

export interface Redelivered {
  readonly redelivered: number;
  /** Where the range goes on; null when all of it was taken. */
  readonly continueSinceMs: number | null;
}

/** Entries of the log that one request goes through. */
const entriesMax = 10_000;

/**
 * Sends one event again, whatever became of it; one that the endpoint missed is sent for once.
 * Throws `event_not_found`.
 */
export async function redeliverEvent(
  deps: RedeliverDeps,
  endpoint: WebhookEndpoint,
  eventId: EventId,
): Promise<Redelivered> {
  const nowMs = deps.clock.now();
  if (!(await deps.deliveries.restart(endpoint.id, eventId, nowMs))) {
    const entry = await deps.log.find(endpoint.projectId, eventId);
    if (entry === null) throw new Refused({ code: 'event_not_found' });
    await deps.deliveries.insertMissing([deliveryOf(endpoint, entry)], nowMs);
  }
  deps.wake(endpoint.id);
  return { redelivered: 1, continueSinceMs: null };
}

/**
 * Sends again what was appended in a time range: deliveries that are over, and events of the kept
 * log that the endpoint is subscribed to and has no delivery of.
 */
export async function redeliverRange(
  { log, deliveries, clock, wake }: RedeliverDeps,
  endpoint: WebhookEndpoint,
  range: { readonly sinceMs: number; readonly untilMs: number },
): Promise<Redelivered> {
  const entries = await log.between(endpoint.projectId, range, entriesMax + 1);
  // What lies beyond the last entry that is taken belongs to the next request.
  const continueSinceMs = entries[entriesMax]?.appendedAtMs ?? null;
  const untilMs = continueSinceMs === null ? range.untilMs : continueSinceMs - 1;
  const nowMs = clock.now();
  const restarted = await deliveries.restartRange(endpoint.id, { ...range, untilMs }, nowMs);
  const missed = entries.filter((entry) => isMissed(endpoint, entry, untilMs));
  const made = await deliveries.insertMissing(
    missed.map((entry) => deliveryOf(endpoint, entry)),
    nowMs,
  );
  wake(endpoint.id);
  return { redelivered: restarted + made, continueSinceMs };
}

/** What lies at the endpoint's place or after it is sent anyway. */
function isMissed(
  { types, nextPosition }: WebhookEndpoint,
  { event, position, appendedAtMs }: KeptEntry,
  untilMs: number,
): boolean {
  return types.includes(event.type) && position < nextPosition && appendedAtMs <= untilMs;
}
