import type { Pending, WorkQueue } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import type { KeptEntry } from '../log/project-log-store.ts';
import { dueBy, type EndpointTurn, newTurn } from './delivery-run.ts';
import { pauseEndMs } from './endpoint-health.domain.ts';
import type { Webhooks } from './open-webhooks.ts';
import { type RequestCapacity, sendDue } from './send-due.ts';
import type { DueEndpoint, NewDelivery, WebhookEndpoint } from './webhook-document.ts';

/** Pauses of an endpoint that may not be sent to. A change of its account gives it a turn at once. */
const heldMs = { refused: 10 * 60_000, unknown: 5_000, unreadable: 60_000 };
/** Events and deliveries that a turn reads. One that is not fast sends few. */
const most = { fast: 200, new: 50, slow: 50 };
const endedPerTurn = 500;

/**
 * One turn of an endpoint, which one replica has at a time.
 *
 * 1. Its deliveries of the events after its position are inserted; an event has one, however often
 *    it is read.
 * 2. What is due is sent, each result recorded: first what it changes of the endpoint, then the attempt.
 * 3. The position, what was left, and when it is due next, are stored in the write that ends the claim.
 *
 * After a crash its next turn begins once the claim has expired: it finds the deliveries of step 1,
 * and sends again, with the same id and bytes, what has no result.
 */
export async function serveEndpoint(
  webhooks: Webhooks,
  turns: WorkQueue<DueEndpoint>,
  capacity: RequestCapacity,
  claimed: Pending<DueEndpoint>,
): Promise<WorkResult> {
  const endpoint = await webhooks.endpoints.readEndpoint(claimed.item);
  if (endpoint === null || endpoint.isRemoved) return remove(webhooks, claimed);
  const turn = newTurn(endpoint, webhooks.clock.now());
  webhooks.running.set(endpoint.endpointId, turn);
  try {
    await serve(webhooks, capacity, turn);
  } finally {
    for (const { release } of turn.permits) release();
    if (webhooks.running.get(endpoint.endpointId) === turn)
      webhooks.running.delete(endpoint.endpointId);
  }
  if (!(await settle(webhooks, turns, claimed, turn))) return remove(webhooks, claimed);
  return 'settled';
}

async function serve(
  webhooks: Webhooks,
  capacity: RequestCapacity,
  turn: EndpointTurn,
): Promise<void> {
  const { endpointId, state, health } = turn.endpoint;
  const isEnabled = state === 'enabled';
  if (!isEnabled) await endDeliveries(webhooks, turn);
  else if (await isRefused(webhooks, turn)) return;
  else await insertDeliveries(webhooks, turn);
  // Read now: what was just inserted is due.
  const nowMs = webhooks.clock.now();
  const pausedUntilMs = pauseEndMs(health, nowMs, webhooks.health);
  const isPaused = pausedUntilMs > nowMs;
  const limit = most[turn.pace];
  const types = isEnabled && !isPaused ? 'all' : 'tests';
  const pending = await webhooks.deliveries.listPending(endpointId, limit, types);
  if (isPaused) dueBy(turn, pausedUntilMs);
  for (const delivery of pending) {
    const waitMs = (delivery.nextAttemptAtMs ?? nowMs) - nowMs;
    if (waitMs > 0 && waitMs <= webhooks.limits.waitMaxMs) dueBy(turn, nowMs + waitMs);
    else turn.waiting.push(delivery);
  }
  const mayHaveMore = turn.waiting.length === limit;
  if (turn.waiting.length === 0) return;
  const last = mayHaveMore ? turn.waiting.at(-1) : undefined;
  if (!isUnreadable(webhooks, turn)) {
    // Tests are sent to a disabled one.
    if (!isEnabled && (await isRefused(webhooks, turn))) return;
    await sendDue(webhooks, capacity, turn);
  }
  if (mayHaveMore && turn.waiting.length === 0) dueBy(turn, nowMs);
  const left = turn.waiting[0] ?? last;
  const endMs = pauseEndMs(turn.endpoint.health, webhooks.clock.now(), webhooks.health);
  if (left && endMs <= webhooks.clock.now()) turn.lateSinceMs = left.nextAttemptAtMs;
}

/** Without access nothing is inserted or sent; it has a turn again after a pause. */
async function isRefused({ eventAccess, clock }: Webhooks, turn: EndpointTurn): Promise<boolean> {
  const access = await eventAccess.find(turn.endpoint.projectId);
  if (access === 'allowed') return false;
  if (access === 'unknown') turn.lateSinceMs = turn.first.lateSinceMs ?? turn.begunMs;
  dueBy(turn, clock.now() + heldMs[access]);
  return true;
}

/** Nothing is sent unsigned. */
function isUnreadable({ clock, logger }: Webhooks, turn: EndpointTurn): boolean {
  const { endpointId, secrets } = turn.endpoint;
  if (secrets.length > 0) return false;
  const context = { endpoint_id: endpointId };
  logger.error(context, 'no key of WEBHOOK_SECRET_KEYS decrypts the secrets of the endpoint');
  dueBy(turn, clock.now() + heldMs.unreadable);
  return true;
}

/** All of these events have their delivery before the position moves behind them. */
async function insertDeliveries(webhooks: Webhooks, turn: EndpointTurn): Promise<void> {
  const { endpoint, pace } = turn;
  const after = turn.nextPosition - 1;
  const entries = await webhooks.log.listAfter(endpoint.projectId, after, most[pace]);
  const wanted = entries.filter(({ event: { type } }) => endpoint.types.includes(type));
  const made = wanted.map((entry) => deliveryOf(endpoint, entry));
  await webhooks.deliveries.insertMissing(made, webhooks.clock.now());
  turn.nextPosition = (entries.at(-1)?.position ?? after) + 1;
  if (entries.length === most[pace]) dueBy(turn, webhooks.clock.now());
}

export function deliveryOf(
  { endpointId, projectId }: WebhookEndpoint,
  { event: { id: eventId, type, json: body }, appendedAtMs }: KeptEntry,
): NewDelivery {
  return { endpointId, projectId, eventId, type, body, appendedAtMs };
}

/** In parts; those left when it is enabled are sent. */
async function endDeliveries({ deliveries, clock }: Webhooks, turn: EndpointTurn): Promise<void> {
  const { endpointId } = turn.endpoint;
  const count = await deliveries.failOfEndpoint(endpointId, 'endpoint_disabled', endedPerTurn);
  if (count === endedPerTurn) dueBy(turn, clock.now());
}

/**
 * The position moves only where the endpoint is as it was when its events were selected: after a
 * change they are read again. False when it was deleted.
 */
async function settle(
  { endpoints, clock, noteDue }: Webhooks,
  turns: WorkQueue<DueEndpoint>,
  claimed: Pending<DueEndpoint>,
  { endpoint, first: { version }, nextPosition, pace, lateSinceMs, dueAtMs }: EndpointTurn,
): Promise<boolean> {
  const nowMs = clock.now();
  if (endpoint.version === version) {
    const fields = { pace, nextPosition, lateSinceMs };
    const ended = await turns.settle(claimed, { nowMs, dueAtMs, fields, read: { version } });
    if (ended === 'again' || (ended !== null && dueAtMs !== null && dueAtMs <= nowMs)) noteDue();
    if (ended !== null) return true;
  }
  // Its pace may be that of another URL.
  const ended = await turns.settle(claimed, { nowMs, dueAtMs: nowMs });
  if (ended === null) return (await endpoints.readEndpoint(claimed.item)) !== null;
  noteDue();
  return true;
}

/** Of a deleted endpoint nothing stays. */
async function remove(
  { deliveries, endpoints }: Webhooks,
  { item: { endpointId } }: Pending<DueEndpoint>,
): Promise<WorkResult> {
  await deliveries.removeOfEndpoint(endpointId);
  await endpoints.deleteRemoved(endpointId);
  return 'settled';
}
