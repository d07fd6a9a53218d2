import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { KeyedSemaphore, Semaphore } from '@inventory/runtime/semaphore';
import type { AttemptReport, DeliveryStore } from './delivery-store.ts';
import {
  afterResult,
  concurrencyOf,
  type HealthLimits,
  pauseEndMs,
} from './endpoint-health.domain.ts';
import type { EndpointStore } from './endpoint-store.ts';
import { pingType } from './webhook-delivery.domain.ts';
import type { EndpointPace, WebhookDelivery, WebhookEndpoint } from './webhook-document.ts';
import { countAttempt, countDisabled } from './webhook-metrics.ts';

export interface SendDueDeps {
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  /** Rejects only when the stop ends it. */
  readonly attempt: (
    endpoint: WebhookEndpoint,
    delivery: WebhookDelivery,
  ) => Promise<AttemptReport>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly health: HealthLimits;
  readonly limits: TurnLimits;
  /** Requests at once, of all turns. */
  readonly requests: Semaphore;
  /** Requests at once of a turn beside the first one; by account. */
  readonly extraRequests: KeyedSemaphore<string>;
  /** No request starts any more. */
  readonly stopping: AbortSignal;
}

export interface TurnLimits {
  /** Requests at once to an endpoint that responds fast. */
  readonly requestsPerEndpointMax: number;
  /** Duration of a request from which its endpoint is slow. */
  readonly slowFromMs: number;
  /** No request of a turn starts later. */
  readonly turnMs: number;
  /** No delivery waits longer: one that is due later is due, because a clock was wrong. */
  readonly waitMaxMs: number;
}

/** A turn of an endpoint, while it lasts. */
export interface EndpointTurn {
  /** As read last. */
  endpoint: WebhookEndpoint;
  readMs: number;
  /** As its inserted deliveries follow it. */
  readonly first: WebhookEndpoint;
  /** After its inserted deliveries. */
  nextPosition: number;
  pace: EndpointPace;
  readonly begunMs: number;
  /** When the endpoint is due next, as far as is known. */
  dueAtMs: number | null;
  /** As stored with its end. */
  lateSinceMs: number | null;
  waiting: WebhookDelivery[];
  sent: number;
  /** Changes of the endpoint by its results, one after the other. */
  results: Promise<void>;
  readonly permits: { release: () => void }[];
}

/** A change of an endpoint applies to the requests that start this much later. */
const freshMs = 250;
const triesMax = 5;

export function newTurn(endpoint: WebhookEndpoint, nowMs: number): EndpointTurn {
  const { nextPosition, pace } = endpoint;
  return {
    endpoint,
    first: endpoint,
    pace,
    nextPosition,
    readMs: nowMs,
    begunMs: nowMs,
    dueAtMs: null,
    lateSinceMs: null,
    waiting: [],
    sent: 0,
    results: Promise.resolve(),
    permits: [],
  };
}

/** Sends what waits until the turn has to end; what is left is due at once. */
export async function sendDue(deps: SendDueDeps, turn: EndpointTurn): Promise<void> {
  const loops = Array.from({ length: requestsOf(deps, turn) }, async () => {
    while (turn.waiting.length > 0) {
      const sent = await deps.requests.run(() => sendNext(deps, turn));
      if (sent === null) return;
      await record(deps, turn, sent);
    }
  });
  const ended = await Promise.allSettled(loops);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  if (turn.waiting.length === 0) return;
  const nowMs = deps.clock.now();
  dueBy(turn, Math.max(nowMs, pauseEndMs(turn.endpoint.health, nowMs, deps.health)));
}

/** Requests at once: one, and of an endpoint that responds fast as many as there are for its account. */
function requestsOf({ extraRequests, limits, health }: SendDueDeps, turn: EndpointTurn): number {
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

async function maySend(deps: SendDueDeps, turn: EndpointTurn): Promise<boolean> {
  const { clock, limits, stopping } = deps;
  if (stopping.aborted) return false;
  if (turn.sent > 0 && clock.now() - turn.begunMs > limits.turnMs) return false;
  if (clock.now() - turn.readMs >= freshMs) await readAgain(deps, turn);
  const { endpoint, waiting } = turn;
  if (endpoint.isRemoved || endpoint.secrets.length === 0) return false;
  if (waiting[0]?.type === pingType) return true;
  // The rest is sent in a turn of its new pace.
  if (turn.pace !== endpoint.pace) return false;
  // One whose position moved was disabled and enabled: it is not sent what it missed.
  if (endpoint.nextPosition !== turn.first.nextPosition) return false;
  const nowMs = clock.now();
  return endpoint.state === 'enabled' && pauseEndMs(endpoint.health, nowMs, deps.health) <= nowMs;
}

async function readAgain({ endpoints, clock }: SendDueDeps, turn: EndpointTurn): Promise<void> {
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
async function sendNext(deps: SendDueDeps, turn: EndpointTurn): Promise<Sent | null> {
  const delivery = (await maySend(deps, turn)) ? turn.waiting.shift() : undefined;
  if (delivery === undefined) return null;
  turn.sent += 1;
  const to = turn.endpoint;
  try {
    return { to, report: await deps.attempt(to, delivery) };
  } catch (error) {
    if (!deps.stopping.aborted) throw error;
    dueBy(turn, deps.clock.now());
    return null;
  }
}

async function record(deps: SendDueDeps, turn: EndpointTurn, sent: Sent): Promise<void> {
  const { report } = sent;
  countAttempt(report);
  const { attempt, delivery, progress } = report;
  // The first response that differs from its pace ends the turn.
  const pace = attempt.durationMs < deps.limits.slowFromMs ? 'fast' : 'slow';
  if (turn.pace === turn.endpoint.pace) turn.pace = pace;
  if (progress.nextAttemptAtMs !== null) dueBy(turn, progress.nextAttemptAtMs);
  if (delivery.type !== pingType) {
    turn.results = turn.results.then(() => recordHealth(deps, turn, sent));
    await turn.results;
  }
  await deps.deliveries.recordAttempt(report);
}

/** The result of a request to an earlier URL changes nothing, nor one from before it was enabled. */
async function recordHealth(
  deps: SendDueDeps,
  turn: EndpointTurn,
  { to, report: { attempt } }: Sent,
): Promise<void> {
  for (let tries = 0; tries < triesMax && !turn.endpoint.isRemoved; tries += 1) {
    const { endpoint } = turn;
    if (endpoint.healthVersion !== to.healthVersion) return;
    const change = afterResult(endpoint, attempt, deps.health);
    if (change === null) return;
    const { disabledReason: reason } = change;
    const disabling = { state: 'disabled', version: endpoint.version + 1 } as const;
    const fields = {
      ...change,
      ...(reason && { ...disabling, changedAtMs: attempt.atMs }),
    };
    if (!(await deps.endpoints.update(endpoint, fields))) {
      await readAgain(deps, turn);
      continue;
    }
    turn.endpoint = { ...endpoint, ...fields };
    if (!reason) return;
    // Its next turn ends its deliveries.
    dueBy(turn, deps.clock.now());
    const { endpointId, projectId } = endpoint;
    deps.logger.warn({ endpointId, projectId, reason }, 'webhook endpoint disabled');
    return countDisabled(reason);
  }
}

/** The endpoint is due then at the latest. */
export function dueBy(turn: EndpointTurn, dueAtMs: number): void {
  turn.dueAtMs = Math.min(turn.dueAtMs ?? dueAtMs, dueAtMs);
}
