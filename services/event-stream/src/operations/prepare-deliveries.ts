import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { KeptEntry, ProjectLog } from '../log/project-log-store.ts';
import type { NewDelivery } from '../webhooks/delivery-mapping.ts';
import type { DeliveryStore } from '../webhooks/delivery-store.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import type { ProjectEventAccess } from '../webhooks/event-access.ts';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import type { PageSending } from './send-pages.ts';

export interface PrepareDeps {
  readonly log: Pick<ProjectLog, 'listAfter' | 'recentAfter'>;
  readonly endpoints: Pick<EndpointStore, 'advancePosition' | 'findEndpoint'>;
  readonly deliveries: Pick<DeliveryStore, 'insertMissing' | 'listExisting'>;
  readonly eventAccess: Pick<ProjectEventAccess, 'mayHaveEvents'>;
  readonly sending: PageSending;
  readonly clock: Clock;
  /** Deliveries of the endpoint were inserted, or it is disabled or deleted. */
  readonly wake: (endpoint: WebhookEndpoint) => void;
  /** The log may have another page, which can be read now. */
  readonly onMore: (endpointId: WebhookEndpointId) => void;
}

const entriesAtOnce = 200;

/**
 * Makes the deliveries of the events from the endpoint's position on, page by page: those of an
 * endpoint that keeps up are sent and stored with their first result, others are inserted. The
 * position advances once each event of a page has its delivery. After a crash before that the page
 * is read again, and the deliveries that exist are found.
 */
export async function prepareDeliveries(
  deps: PrepareDeps,
  endpoint: WebhookEndpoint,
  stopping: AbortSignal,
): Promise<void> {
  if (!(await deps.eventAccess.mayHaveEvents(endpoint.projectId))) return;
  for (let place: WebhookEndpoint | null = endpoint; place !== null && !stopping.aborted; ) {
    const { entries, isLast } = await readPage(deps, place);
    if (entries.length === 0) return;
    const wanted = wantedOf(place, entries);
    const mode = wanted.length === 0 ? 'insert' : deps.sending.modeOf(place);
    if (mode === 'wait') return;
    if (mode === 'send') return sendPage(deps, place, entries);
    const next: WebhookEndpoint | null = await completePage(deps, place, entries, wanted);
    const isRead = isLast && next?.nextPosition === endOf(entries);
    place = isRead ? null : next;
  }
}

/** The next page of an endpoint's log. Behind what this replica appended others may have appended. */
async function readPage(
  { log }: PrepareDeps,
  { projectId, nextPosition }: WebhookEndpoint,
): Promise<{ readonly entries: readonly KeptEntry[]; readonly isLast: boolean }> {
  const recent = log.recentAfter(projectId, nextPosition - 1);
  if (recent.length > 0) return { entries: recent, isLast: false };
  const entries = await log.listAfter(projectId, nextPosition - 1, entriesAtOnce);
  return { entries, isLast: entries.length < entriesAtOnce };
}

async function sendPage(
  deps: PrepareDeps,
  place: WebhookEndpoint,
  entries: readonly KeptEntry[],
): Promise<void> {
  const wanted = wantedOf(place, entries);
  const existing = await deps.deliveries.listExisting(
    place.id,
    wanted.map(({ eventId }) => eventId),
  );
  const nowMs = deps.clock.now();
  const unstored = wanted
    .filter(({ eventId }) => !existing.has(eventId))
    .map((delivery) => unstoredDelivery(delivery, nowMs));
  let hasMore = false;
  const ended = deps.sending.send(place, unstored, async (left) => {
    hasMore = (await completeSentPage(deps, place, entries, left)) !== null;
  });
  void ended.then(() => hasMore && deps.onMore(place.id));
}

/**
 * What was not sent is inserted, unless the position moved meanwhile: another replica has the page,
 * or the endpoint was disabled and enabled, and is not sent what it missed.
 */
async function completeSentPage(
  deps: PrepareDeps,
  place: WebhookEndpoint,
  entries: readonly KeptEntry[],
  left: readonly NewDelivery[],
): Promise<WebhookEndpoint | null> {
  if (left.length === 0) return completePage(deps, place, entries, left);
  const present = await deps.endpoints.findEndpoint(place.projectId, place.id);
  if (present !== null && present.nextPosition !== place.nextPosition) return present;
  return completePage(deps, place, entries, present === null ? [] : left);
}

/**
 * Inserts what is missing and advances the position. When the endpoint changed since it was read,
 * all events of the page of its present types have a delivery before, so that none of an added type
 * is skipped. Null when the endpoint is not to be read on.
 */
async function completePage(
  { endpoints, deliveries, clock, wake }: PrepareDeps,
  read: WebhookEndpoint,
  entries: readonly KeptEntry[],
  missing: readonly NewDelivery[],
): Promise<WebhookEndpoint | null> {
  const nextPosition = endOf(entries);
  let isInserted = false;
  for (let place = read, wanted = missing; ; wanted = wantedOf(place, entries)) {
    const nowMs = clock.now();
    await deliveries.insertMissing(wanted, nowMs);
    isInserted ||= wanted.length > 0;
    if (await endpoints.advancePosition(place, nextPosition, isInserted ? nowMs : null)) {
      if (isInserted) wake(place);
      return { ...place, nextPosition };
    }
    const changed = await endpoints.findEndpoint(read.projectId, read.id);
    if (changed?.state !== 'enabled') {
      // Deliveries that were inserted since are to be ended.
      wake(changed ?? { ...read, state: 'disabled' });
      return null;
    }
    // The position was advanced meanwhile: the log is read from there.
    if (changed.nextPosition !== read.nextPosition) return changed;
    place = changed;
  }
}

/** The position after the page. */
const endOf = (entries: readonly KeptEntry[]) => (entries.at(-1)?.position ?? 0) + 1;

function wantedOf(endpoint: WebhookEndpoint, entries: readonly KeptEntry[]): NewDelivery[] {
  return entries
    .filter(({ type }) => endpoint.types.includes(type))
    .map((entry) => deliveryOf(endpoint, entry));
}

export function deliveryOf(
  { id: endpointId, projectId }: WebhookEndpoint,
  { eventId, type, json: body, appendedAtMs }: KeptEntry,
): NewDelivery {
  return { endpointId, projectId, eventId, type, body, appendedAtMs };
}

function unstoredDelivery(delivery: NewDelivery, nowMs: number): WebhookDelivery {
  return {
    ...delivery,
    state: 'pending',
    failure: null,
    createdAtMs: nowMs,
    nextAttemptAtMs: null,
    failures: 0,
    claim: 0,
    attempts: [],
    attemptsTotal: 0,
  };
}
