import type { KeyedSemaphore, Semaphore } from '@inventory/runtime/semaphore';
import { type DeliveryRun, dueBy } from './delivery-run.ts';
import type { AttemptReport } from './delivery-store.ts';
import {
  afterResult,
  concurrencyOf,
  healthFieldsOf,
  pauseEndMs,
} from './endpoint-health.domain.ts';
import type { Webhooks } from './open-webhooks.ts';
import { pingType } from './webhook-delivery.domain.ts';
import type { WebhookEndpoint } from './webhook-document.ts';
import { countAttempt, countDisabled } from './webhook-metrics.ts';

/** Concurrent requests of the runs of one pace. */
export interface RequestCapacity {
  /** Of all runs. */
  readonly requests: Semaphore;
  /** Of a run beside its first one; by account. */
  readonly extraRequests: KeyedSemaphore<string>;
}

/** A change of an endpoint applies to the requests that start this much later. */
const freshMs = 250;
const triesMax = 5;

/** Sends what waits until the run has to end; what is left is due at once. */
export async function sendDue(
  webhooks: Webhooks,
  { requests, extraRequests }: RequestCapacity,
  run: DeliveryRun,
): Promise<void> {
  const concurrent = requestsOf(webhooks, extraRequests, run);
  const loops = Array.from({ length: concurrent }, async () => {
    while (run.waiting.length > 0) {
      const sent = await requests.run(() => sendNext(webhooks, run));
      if (sent === null) return;
      await record(webhooks, run, sent);
    }
  });
  const ended = await Promise.allSettled(loops);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  if (run.waiting.length === 0) return;
  const nowMs = webhooks.clock.now();
  dueBy(run, Math.max(nowMs, pauseEndMs(run.endpoint.health, nowMs, webhooks.health)));
}

/** Requests at once: one, and of an endpoint that responds fast as many as there are for its account. */
function requestsOf(
  { limits, health }: Webhooks,
  extraRequests: KeyedSemaphore<string>,
  run: DeliveryRun,
): number {
  const { endpoint, permits, waiting } = run;
  if (endpoint.pace !== 'fast') return 1;
  const allowed = concurrencyOf(endpoint.health, limits.requestsPerEndpointMax, health);
  while (permits.length + 1 < Math.min(allowed, waiting.length)) {
    const permit = extraRequests.acquire(endpoint.accountId);
    if (permit.result !== 'granted') break;
    permits.push(permit);
  }
  return permits.length + 1;
}

async function maySend(webhooks: Webhooks, run: DeliveryRun): Promise<boolean> {
  const { clock, limits, stopping } = webhooks;
  if (stopping.aborted) return false;
  if (run.sent > 0 && clock.now() - run.begunMs > limits.runMs) return false;
  if (clock.now() - run.readMs >= freshMs) await readAgain(webhooks, run);
  const { endpoint, waiting } = run;
  if (endpoint.isRemoved || endpoint.secrets.length === 0) return false;
  if (waiting[0]?.type === pingType) return true;
  // The others are sent in a run of its new pace.
  if (run.pace !== endpoint.pace) return false;
  // One whose position moved was disabled and enabled: it is not sent what it missed.
  if (endpoint.nextPosition !== run.first.nextPosition) return false;
  const nowMs = clock.now();
  return (
    endpoint.state === 'enabled' && pauseEndMs(endpoint.health, nowMs, webhooks.health) <= nowMs
  );
}

async function readAgain({ endpoints, clock }: Webhooks, run: DeliveryRun): Promise<void> {
  const readMs = clock.now();
  const found = await endpoints.readEndpoint(run.endpoint);
  run.endpoint = found ?? { ...run.endpoint, isRemoved: true };
  run.readMs = readMs;
}

interface Sent {
  /** As it was sent to. */
  readonly to: WebhookEndpoint;
  readonly report: AttemptReport;
}

/** Null when the run ends, or the stop ended the request: then it is sent again, with the same id. */
async function sendNext(webhooks: Webhooks, run: DeliveryRun): Promise<Sent | null> {
  const delivery = (await maySend(webhooks, run)) ? run.waiting.shift() : undefined;
  if (delivery === undefined) return null;
  run.sent += 1;
  const to = run.endpoint;
  try {
    return { to, report: await webhooks.attempt(to, delivery) };
  } catch (error) {
    if (!webhooks.stopping.aborted) throw error;
    dueBy(run, webhooks.clock.now());
    return null;
  }
}

async function record(webhooks: Webhooks, run: DeliveryRun, sent: Sent): Promise<void> {
  const { report } = sent;
  countAttempt(report);
  const { attempt, delivery, progress } = report;
  // The first response that differs from its pace ends the run.
  const pace = attempt.durationMs < webhooks.limits.slowFromMs ? 'fast' : 'slow';
  if (run.pace === run.endpoint.pace) run.pace = pace;
  if (progress.nextAttemptAtMs !== null) dueBy(run, progress.nextAttemptAtMs);
  if (delivery.type !== pingType) {
    run.results = run.results.then(() => recordHealth(webhooks, run, sent));
    await run.results;
  }
  await webhooks.deliveries.recordAttempt(report);
}

/** The result of a request to an earlier URL changes nothing, nor one from before it was enabled. */
async function recordHealth(
  webhooks: Webhooks,
  run: DeliveryRun,
  { to, report: { attempt } }: Sent,
): Promise<void> {
  for (let tries = 0; tries < triesMax && !run.endpoint.isRemoved; tries += 1) {
    const { endpoint } = run;
    if (endpoint.healthVersion !== to.healthVersion) return;
    const change = afterResult(endpoint, attempt, webhooks.health);
    if (change === null) return;
    const { disabledReason: reason } = change;
    const fields = {
      ...healthFieldsOf(change, attempt.atMs),
      ...(reason && { version: endpoint.version + 1 }),
    };
    if (!(await webhooks.endpoints.update(endpoint, fields))) {
      await readAgain(webhooks, run);
      continue;
    }
    run.endpoint = { ...endpoint, ...fields };
    if (!reason) return;
    // Its next run ends its deliveries.
    dueBy(run, webhooks.clock.now());
    const { endpointId, projectId } = endpoint;
    webhooks.logger.warn({ endpointId, projectId, reason }, 'webhook endpoint disabled');
    return countDisabled(reason);
  }
}
