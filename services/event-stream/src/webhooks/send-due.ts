import type { KeyedSemaphore, Semaphore } from '@inventory/runtime/semaphore';
import { dueBy, type EndpointTurn } from './delivery-run.ts';
import type { AttemptReport } from './delivery-store.ts';
import { afterResult, concurrencyOf, pauseEndMs } from './endpoint-health.domain.ts';
import type { Webhooks } from './open-webhooks.ts';
import { pingType } from './webhook-delivery.domain.ts';
import type { WebhookEndpoint } from './webhook-document.ts';
import { countAttempt, countDisabled } from './webhook-metrics.ts';

/** Requests at once of the turns of one pace. */
export interface RequestCapacity {
  /** Of all turns. */
  readonly requests: Semaphore;
  /** Of a turn beside the first one; by account. */
  readonly extraRequests: KeyedSemaphore<string>;
}

/** A change of an endpoint applies to the requests that start this much later. */
const freshMs = 250;
const triesMax = 5;

/** Sends what waits until the turn has to end; what is left is due at once. */
export async function sendDue(
  webhooks: Webhooks,
  { requests, extraRequests }: RequestCapacity,
  turn: EndpointTurn,
): Promise<void> {
  const concurrent = requestsOf(webhooks, extraRequests, turn);
  const loops = Array.from({ length: concurrent }, async () => {
    while (turn.waiting.length > 0) {
      const sent = await requests.run(() => sendNext(webhooks, turn));
      if (sent === null) return;
      await record(webhooks, turn, sent);
    }
  });
  const ended = await Promise.allSettled(loops);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  if (turn.waiting.length === 0) return;
  const nowMs = webhooks.clock.now();
  dueBy(turn, Math.max(nowMs, pauseEndMs(turn.endpoint.health, nowMs, webhooks.health)));
}

/** Requests at once: one, and of an endpoint that responds fast as many as there are for its account. */
function requestsOf(
  { limits, health }: Webhooks,
  extraRequests: KeyedSemaphore<string>,
  turn: EndpointTurn,
): number {
  const { endpoint, permits, waiting } = turn;
  if (endpoint.pace !== 'fast') return 1;
  const allowed = concurrencyOf(endpoint.health, limits.requestsPerEndpointMax, health);
  while (permits.length + 1 < Math.min(allowed, waiting.length)) {
    const permit = extraRequests.acquire(endpoint.accountId);
    if (permit.result !== 'granted') break;
    permits.push(permit);
  }
  return permits.length + 1;
}

async function maySend(webhooks: Webhooks, turn: EndpointTurn): Promise<boolean> {
  const { clock, limits, stopping } = webhooks;
  if (stopping.aborted) return false;
  if (turn.sent > 0 && clock.now() - turn.begunMs > limits.turnMs) return false;
  if (clock.now() - turn.readMs >= freshMs) await readAgain(webhooks, turn);
  const { endpoint, waiting } = turn;
  if (endpoint.isRemoved || endpoint.secrets.length === 0) return false;
  if (waiting[0]?.type === pingType) return true;
  // The rest is sent in a turn of its new pace.
  if (turn.pace !== endpoint.pace) return false;
  // One whose position moved was disabled and enabled: it is not sent what it missed.
  if (endpoint.nextPosition !== turn.first.nextPosition) return false;
  const nowMs = clock.now();
  return (
    endpoint.state === 'enabled' && pauseEndMs(endpoint.health, nowMs, webhooks.health) <= nowMs
  );
}

async function readAgain({ endpoints, clock }: Webhooks, turn: EndpointTurn): Promise<void> {
  const readMs = clock.now();
  const found = await endpoints.readEndpoint(turn.endpoint);
  turn.endpoint = found ?? { ...turn.endpoint, isRemoved: true };
  turn.readMs = readMs;
}

interface Sent {
  /** As it was sent to. */
  readonly to: WebhookEndpoint;
  readonly report: AttemptReport;
}

/** Null when the turn ends, or the stop ended the request: then it is sent again, with the same id. */
async function sendNext(webhooks: Webhooks, turn: EndpointTurn): Promise<Sent | null> {
  const delivery = (await maySend(webhooks, turn)) ? turn.waiting.shift() : undefined;
  if (delivery === undefined) return null;
  turn.sent += 1;
  const to = turn.endpoint;
  try {
    return { to, report: await webhooks.attempt(to, delivery) };
  } catch (error) {
    if (!webhooks.stopping.aborted) throw error;
    dueBy(turn, webhooks.clock.now());
    return null;
  }
}

async function record(webhooks: Webhooks, turn: EndpointTurn, sent: Sent): Promise<void> {
  const { report } = sent;
  countAttempt(report);
  const { attempt, delivery, progress } = report;
  // The first response that differs from its pace ends the turn.
  const pace = attempt.durationMs < webhooks.limits.slowFromMs ? 'fast' : 'slow';
  if (turn.pace === turn.endpoint.pace) turn.pace = pace;
  if (progress.nextAttemptAtMs !== null) dueBy(turn, progress.nextAttemptAtMs);
  if (delivery.type !== pingType) {
    turn.results = turn.results.then(() => recordHealth(webhooks, turn, sent));
    await turn.results;
  }
  await webhooks.deliveries.recordAttempt(report);
}

/** The result of a request to an earlier URL changes nothing, nor one from before it was enabled. */
async function recordHealth(
  webhooks: Webhooks,
  turn: EndpointTurn,
  { to, report: { attempt } }: Sent,
): Promise<void> {
  for (let tries = 0; tries < triesMax && !turn.endpoint.isRemoved; tries += 1) {
    const { endpoint } = turn;
    if (endpoint.healthVersion !== to.healthVersion) return;
    const change = afterResult(endpoint, attempt, webhooks.health);
    if (change === null) return;
    const { disabledReason: reason } = change;
    const disabling = { state: 'disabled', version: endpoint.version + 1 } as const;
    const fields = {
      ...change,
      ...(reason && { ...disabling, changedAtMs: attempt.atMs }),
    };
    if (!(await webhooks.endpoints.update(endpoint, fields))) {
      await readAgain(webhooks, turn);
      continue;
    }
    turn.endpoint = { ...endpoint, ...fields };
    if (!reason) return;
    // Its next turn ends its deliveries.
    dueBy(turn, webhooks.clock.now());
    const { endpointId, projectId } = endpoint;
    webhooks.logger.warn({ endpointId, projectId, reason }, 'webhook endpoint disabled');
    return countDisabled(reason);
  }
}
