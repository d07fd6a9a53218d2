import type { AccountId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { Running } from '../domain/delivery-plan.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';

/** Requests in flight and latency of endpoints on this replica. */
export interface EndpointTraffic {
  readonly total: number;
  begin(endpoint: Pick<WebhookEndpoint, 'id' | 'accountId'>, nowMs: number): () => void;
  /** The duration of a finished request, without any time spent waiting for a slot. */
  measured(endpointId: WebhookEndpointId, durationMs: number): void;
  runningOf(endpointId: WebhookEndpointId): number;
  runningOfAccount(accountId: AccountId): number;
  /** The larger of the mean of recent requests and the age of the oldest one in flight. */
  latencyOf(endpointId: WebhookEndpointId, nowMs: number): number | null;
  /** Endpoints with requests in flight, without the given ones. */
  others(except: ReadonlySet<WebhookEndpointId>, nowMs: number): Running[];
}

interface InFlight {
  readonly accountId: AccountId;
  readonly startsMs: Map<symbol, number>;
}

/** Weight of a new measurement in the mean. */
const weight = 0.3;
/** An unfinished request counts as a measurement from this age on. */
const ageFromMs = 1_000;
const endpointsMax = 100_000;

export function createEndpointTraffic(): EndpointTraffic {
  const inFlight = new Map<WebhookEndpointId, InFlight>();
  const ofAccounts = new Map<AccountId, number>();
  const means = new Map<WebhookEndpointId, number>();
  let total = 0;

  function count(accountId: AccountId, by: 1 | -1): void {
    const running = (ofAccounts.get(accountId) ?? 0) + by;
    if (running > 0) ofAccounts.set(accountId, running);
    else ofAccounts.delete(accountId);
    total += by;
  }

  function latencyOf(endpointId: WebhookEndpointId, nowMs: number): number | null {
    const mean = means.get(endpointId) ?? null;
    const [oldestMs] = inFlight.get(endpointId)?.startsMs.values() ?? [];
    const ageMs = oldestMs === undefined ? 0 : nowMs - oldestMs;
    if (ageMs < ageFromMs) return mean;
    // Without any response it keeps one request.
    return mean === null ? Number.POSITIVE_INFINITY : Math.max(mean, ageMs);
  }

  return {
    get total() {
      return total;
    },
    begin({ id, accountId }, nowMs) {
      const one = inFlight.get(id) ?? { accountId, startsMs: new Map<symbol, number>() };
      const key = Symbol(id);
      one.startsMs.set(key, nowMs);
      inFlight.set(id, one);
      count(accountId, 1);
      return () => {
        if (!one.startsMs.delete(key)) return;
        count(accountId, -1);
        if (one.startsMs.size === 0) inFlight.delete(id);
      };
    },
    measured(endpointId, durationMs) {
      const mean = means.get(endpointId) ?? durationMs;
      means.delete(endpointId);
      means.set(endpointId, mean + weight * (durationMs - mean));
      const [leastRecent] = means.keys();
      if (means.size > endpointsMax && leastRecent) means.delete(leastRecent);
    },
    runningOf: (endpointId) => inFlight.get(endpointId)?.startsMs.size ?? 0,
    runningOfAccount: (accountId) => ofAccounts.get(accountId) ?? 0,
    latencyOf,
    others: (except, nowMs) =>
      [...inFlight]
        .filter(([endpointId]) => !except.has(endpointId))
        .map(([endpointId, { accountId, startsMs }]) => ({
          accountId,
          running: startsMs.size,
          latencyMs: latencyOf(endpointId, nowMs),
        })),
  };
}
