import type { AccountId, WebhookEndpointId } from '@inventory/contracts/ids';

/** An endpoint with due deliveries, and its requests in flight on this replica. */
export interface EndpointLoad {
  readonly endpointId: WebhookEndpointId;
  readonly accountId: AccountId;
  readonly running: number;
  /** Upper bound of its concurrency: 1 while it is tested after a pause. */
  readonly requestsMax: number;
  /** Typical duration of its requests; null before the first response. */
  readonly latencyMs: number | null;
}

export interface PlanLimits {
  /** Requests in flight on this replica: to all endpoints, and to those of one account. */
  readonly requestsMax: number;
  readonly requestsPerAccountMax: number;
  /** An endpoint whose requests take longer is slow, and its concurrency falls. */
  readonly slowFromMs: number;
}

export type LatencyClass = 'fast' | 'unknown' | 'slow';

/** Slow endpoints together use half of the slots; with unknown ones three quarters. */
const slowShare = 1 / 2;
const unprovenShare = 3 / 4;

export function latencyClassOf(latencyMs: number | null, slowFromMs: number): LatencyClass {
  if (latencyMs === null) return 'unknown';
  return latencyMs < slowFromMs ? 'fast' : 'slow';
}

/** Concurrency falls as latency rises: a slow endpoint keeps one request, an unknown one starts with one. */
export function concurrencyAt(
  { latencyMs, requestsMax }: Pick<EndpointLoad, 'latencyMs' | 'requestsMax'>,
  slowFromMs: number,
): number {
  if (latencyMs === null) return Math.min(1, requestsMax);
  if (latencyMs < slowFromMs) return requestsMax;
  return Math.max(1, Math.floor((requestsMax * slowFromMs) / latencyMs));
}

/** Requests in flight that belong to endpoints without due deliveries count too. */
export type Running = Pick<EndpointLoad, 'accountId' | 'latencyMs' | 'running'>;

/**
 * How many deliveries of each endpoint start now. Slots go one by one to the account with the fewest
 * requests, and within it to the endpoint with the fewest; among equals the first in `ready`.
 */
export function planDeliveries(
  ready: readonly EndpointLoad[],
  others: readonly Running[],
  limits: PlanLimits,
): ReadonlyMap<WebhookEndpointId, number> {
  const usage = usageOf([...ready, ...others], limits.slowFromMs);
  const planned = new Map<WebhookEndpointId, number>();
  let open = ready.map((load) => ({
    ...load,
    class: latencyClassOf(load.latencyMs, limits.slowFromMs),
    free: concurrencyAt(load, limits.slowFromMs) - load.running,
  }));
  while (usage.total < limits.requestsMax) {
    open = open.filter((one) => one.free > 0 && hasSlot(usage, one, limits));
    const next = leastServed(open, usage.accounts, planned);
    if (next === undefined) break;
    next.free -= 1;
    planned.set(next.endpointId, (planned.get(next.endpointId) ?? 0) + 1);
    usage.total += 1;
    usage.classes[next.class] += 1;
    usage.accounts.set(next.accountId, (usage.accounts.get(next.accountId) ?? 0) + 1);
  }
  return planned;
}

interface Usage {
  total: number;
  readonly classes: Record<LatencyClass, number>;
  readonly accounts: Map<AccountId, number>;
}

function usageOf(all: readonly Running[], slowFromMs: number): Usage {
  const usage: Usage = { total: 0, classes: { fast: 0, unknown: 0, slow: 0 }, accounts: new Map() };
  for (const { accountId, latencyMs, running } of all) {
    usage.total += running;
    usage.classes[latencyClassOf(latencyMs, slowFromMs)] += running;
    usage.accounts.set(accountId, (usage.accounts.get(accountId) ?? 0) + running);
  }
  return usage;
}

function hasSlot(
  { classes, accounts }: Usage,
  load: { readonly accountId: AccountId; readonly class: LatencyClass },
  { requestsMax, requestsPerAccountMax }: PlanLimits,
): boolean {
  if ((accounts.get(load.accountId) ?? 0) >= requestsPerAccountMax) return false;
  if (load.class === 'fast') return true;
  const unproven = classes.slow + classes.unknown;
  if (unproven >= shareOf(requestsMax, unprovenShare)) return false;
  return load.class === 'unknown' || classes.slow < shareOf(requestsMax, slowShare);
}

/** At least one slot, so that no endpoint waits for ever. */
const shareOf = (requestsMax: number, share: number) =>
  Math.max(1, Math.floor(requestsMax * share));

function leastServed<Load extends EndpointLoad>(
  open: readonly Load[],
  accounts: ReadonlyMap<AccountId, number>,
  planned: ReadonlyMap<WebhookEndpointId, number>,
): Load | undefined {
  let best: Load | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const load of open) {
    const ofAccount = accounts.get(load.accountId) ?? 0;
    const ofEndpoint = load.running + (planned.get(load.endpointId) ?? 0);
    const served = ofAccount * 100_000 + ofEndpoint;
    if (served >= least) continue;
    least = served;
    best = load;
  }
  return best;
}
