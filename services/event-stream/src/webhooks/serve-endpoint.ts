import type { Pending, WorkQueue } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import type { KeptEntry } from '../log/project-log-store.ts';
import { type DeliveryRun, dueBy, newDeliveryRun } from './delivery-run.ts';
import { pauseEndMs } from './endpoint-health.domain.ts';
import type { Webhooks } from './open-webhooks.ts';
import { type RequestCapacity, sendDue } from './send-due.ts';
import type { DueEndpoint, NewDelivery, WebhookEndpoint } from './webhook-document.ts';

/** Pauses of an endpoint that may not be sent to. A change of its account makes it due at once. */
const heldMs = { refused: 10 * 60_000, unknown: 5_000, unreadable: 60_000 };
/** Events and deliveries that a run reads. One that is not fast sends few. */
const most = { fast: 200, new: 50, slow: 50 };
const endedPerRun = 500;

/**
 * One delivery run of an endpoint, under its claim: one replica has it at a time.
 *
 * 1. Its deliveries of the events after its position are inserted; an event has one, however often
 *    it is read.
 * 2. What is due is sent, each result recorded: first what it changes of the endpoint, then the attempt.
 * 3. The position, what was left, and when it is due next, are stored in the write that ends the claim.
 *
 * After a crash its next run begins once the claim has expired: it finds the deliveries of step 1,
 * and sends again, with the same id and bytes, what has no result.
 */
export async function serveEndpoint(
  webhooks: Webhooks,
  queue: WorkQueue<DueEndpoint>,
  capacity: RequestCapacity,
  claimed: Pending<DueEndpoint>,
): Promise<WorkResult> {
  const endpoint = await webhooks.endpoints.readEndpoint(claimed.item);
  if (endpoint === null || endpoint.isRemoved) return remove(webhooks, claimed);
  const run = newDeliveryRun(endpoint, webhooks.clock.now());
  webhooks.running.set(endpoint.endpointId, run);
  try {
    await serve(webhooks, capacity, run);
  } finally {
    for (const { release } of run.permits) release();
    if (webhooks.running.get(endpoint.endpointId) === run)
      webhooks.running.delete(endpoint.endpointId);
  }
  if (!(await settle(webhooks, queue, claimed, run))) return remove(webhooks, claimed);
  return 'settled';
}

async function serve(
  webhooks: Webhooks,
  capacity: RequestCapacity,
  run: DeliveryRun,
): Promise<void> {
  const { endpointId, state, health } = run.endpoint;
  const isEnabled = state === 'enabled';
  if (!isEnabled) await endDeliveries(webhooks, run);
  else if (await isRefused(webhooks, run)) return;
  else await insertDeliveries(webhooks, run);
  // Read now: what was just inserted is due.
  const nowMs = webhooks.clock.now();
  const pausedUntilMs = pauseEndMs(health, nowMs, webhooks.health);
  const isPaused = pausedUntilMs > nowMs;
  const limit = most[run.pace];
  const types = isEnabled && !isPaused ? 'all' : 'tests';
  const pending = await webhooks.deliveries.listPending(endpointId, limit, types);
  if (isPaused) dueBy(run, pausedUntilMs);
  for (const delivery of pending) {
    const waitMs = (delivery.nextAttemptAtMs ?? nowMs) - nowMs;
    if (waitMs > 0 && waitMs <= webhooks.limits.waitMaxMs) dueBy(run, nowMs + waitMs);
    else run.waiting.push(delivery);
  }
  const mayHaveMore = run.waiting.length === limit;
  if (run.waiting.length === 0) return;
  const last = mayHaveMore ? run.waiting.at(-1) : undefined;
  if (!isUnreadable(webhooks, run)) {
    // Tests are sent to a disabled one.
    if (!isEnabled && (await isRefused(webhooks, run))) return;
    await sendDue(webhooks, capacity, run);
  }
  if (mayHaveMore && run.waiting.length === 0) dueBy(run, nowMs);
  const left = run.waiting[0] ?? last;
  const endMs = pauseEndMs(run.endpoint.health, webhooks.clock.now(), webhooks.health);
  if (left && endMs <= webhooks.clock.now()) run.lateSinceMs = left.nextAttemptAtMs;
}

/** Without access nothing is inserted or sent; it is due again after a pause. */
async function isRefused({ eventAccess, clock }: Webhooks, run: DeliveryRun): Promise<boolean> {
  const access = await eventAccess.find(run.endpoint.projectId);
  if (access === 'allowed') return false;
  if (access === 'unknown') run.lateSinceMs = run.first.lateSinceMs ?? run.begunMs;
  dueBy(run, clock.now() + heldMs[access]);
  return true;
}

/** Nothing is sent unsigned. */
function isUnreadable({ clock, logger }: Webhooks, run: DeliveryRun): boolean {
  const { endpointId, secrets } = run.endpoint;
  if (secrets.length > 0) return false;
  const context = { endpoint_id: endpointId };
  logger.error(context, 'no key of WEBHOOK_SECRET_KEYS decrypts the secrets of the endpoint');
  dueBy(run, clock.now() + heldMs.unreadable);
  return true;
}

/** All of these events have their delivery before the position moves past them. */
async function insertDeliveries(webhooks: Webhooks, run: DeliveryRun): Promise<void> {
  const { endpoint, pace } = run;
  const after = run.nextPosition - 1;
  const entries = await webhooks.log.listAfter(endpoint.projectId, after, most[pace]);
  const wanted = entries.filter(({ event: { type } }) => endpoint.types.includes(type));
  const made = wanted.map((entry) => deliveryOf(endpoint, entry));
  await webhooks.deliveries.insertMissing(made, webhooks.clock.now());
  run.nextPosition = (entries.at(-1)?.position ?? after) + 1;
  if (entries.length === most[pace]) dueBy(run, webhooks.clock.now());
}

export function deliveryOf(
  { endpointId, projectId }: WebhookEndpoint,
  { event: { id: eventId, type, json: body }, appendedAtMs }: KeptEntry,
): NewDelivery {
  return { endpointId, projectId, eventId, type, body, appendedAtMs };
}

/** In batches; those left when it is enabled are sent. */
async function endDeliveries({ deliveries, clock }: Webhooks, run: DeliveryRun): Promise<void> {
  const { endpointId } = run.endpoint;
  const count = await deliveries.failOfEndpoint(endpointId, 'endpoint_disabled', endedPerRun);
  if (count === endedPerRun) dueBy(run, clock.now());
}

/**
 * The position moves only where the endpoint is as it was when its events were selected: after a
 * change they are read again. False when it was deleted.
 */
async function settle(
  { endpoints, clock, noteDue }: Webhooks,
  queue: WorkQueue<DueEndpoint>,
  claimed: Pending<DueEndpoint>,
  { endpoint, first: { version }, nextPosition, pace, lateSinceMs, dueAtMs }: DeliveryRun,
): Promise<boolean> {
  const nowMs = clock.now();
  if (endpoint.version === version) {
    const fields = { pace, nextPosition, lateSinceMs };
    const ended = await queue.settle(claimed, { nowMs, dueAtMs, fields, read: { version } });
    if (ended === 'again' || (ended !== null && dueAtMs !== null && dueAtMs <= nowMs)) noteDue();
    if (ended !== null) return true;
  }
  // Its pace may be that of another URL.
  const ended = await queue.settle(claimed, { nowMs, dueAtMs: nowMs });
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
