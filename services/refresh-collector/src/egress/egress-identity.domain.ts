import type { InUse, InventoryRead, SlotClaim } from './slot-order.domain.ts';

/** The rate of one egress identity, and its pauses after refusals. */
export interface IdentityLimits {
  readonly requestsPerMinute: number;
  /** Requests that may be sent without a pause after an idle time. */
  readonly burst: number;
  readonly cooldownFirstMs: number;
  readonly cooldownMaxMs: number;
  /** Pause after a request without a connection; doubles with each in a row. */
  readonly unreachableFirstMs: number;
  readonly unreachableMaxMs: number;
}

/** The page rate of all egress identities together, after a burst. */
export interface CollectionPace {
  readonly pagesPerSecond: number;
  readonly burstPages: number;
}

export function collectionPace(
  identities: number,
  { requestsPerMinute, burst }: IdentityLimits,
): CollectionPace {
  return { pagesPerSecond: (identities * requestsPerMinute) / 60, burstPages: identities * burst };
}

/** A request that ends by `untilMs` at the latest. */
export interface InFlight {
  readonly token: string;
  readonly untilMs: number;
  readonly read?: InventoryRead;
}

/** One source address of our requests. Shared by all replicas; one request in flight at a time. */
export interface IdentityState {
  readonly id: string;
  readonly version: number;
  /** Theoretical arrival time of the generic cell rate algorithm. */
  readonly arrivalMs: number;
  readonly inFlight: InFlight | null;
  /** No request before this time: an earlier one would extend the platform's block. */
  readonly cooldownUntilMs: number;
  /** Refusals in a row; the cooldown doubles with each. */
  readonly refusals: number;
  /** No request before this time: the last one had no connection. */
  readonly unreachableUntilMs: number;
  /** Requests without a connection in a row; the pause doubles with each. */
  readonly connectFailures: number;
  /** Slots that live pages are owed, at most one; below zero they have had more than their part. */
  readonly liveCredit: number;
  /** The replica that acquired it last. */
  readonly holder: string | null;
  /** Replicas that wait for its next slot, by their names. An acquisition ends all of them. */
  readonly claims: Readonly<Record<string, SlotClaim>>;
}

export function freshIdentity(id: string): IdentityState {
  return {
    id,
    version: 0,
    arrivalMs: 0,
    inFlight: null,
    cooldownUntilMs: 0,
    refusals: 0,
    unreachableUntilMs: 0,
    connectFailures: 0,
    liveCredit: 0,
    holder: null,
    claims: {},
  };
}

/**
 * A stored state by the clock of its reader: no wait ends later than the longest of its kind after the
 * state was read first, and a request in flight is so for as long as it is seen, at most its longest
 * time. `known` is what this reader made of it last.
 */
export function asRead(
  stored: IdentityState,
  known: IdentityState | undefined,
  limits: IdentityLimits,
  requestMaxMs: number,
  nowMs: number,
): IdentityState {
  const state = known?.version === stored.version ? known : stored;
  const within = (timeMs: number, longestMs: number) => Math.min(timeMs, nowMs + longestMs);
  const inFlight = state.inFlight && {
    ...state.inFlight,
    untilMs:
      known?.inFlight?.token === state.inFlight.token
        ? within(known.inFlight.untilMs, requestMaxMs)
        : nowMs + requestMaxMs,
  };
  return {
    ...state,
    // Without a new version.
    claims: stored.claims,
    inFlight,
    arrivalMs: within(state.arrivalMs, limits.burst * intervalMs(limits)),
    cooldownUntilMs: within(state.cooldownUntilMs, limits.cooldownMaxMs),
    unreachableUntilMs: within(state.unreachableUntilMs, limits.unreachableMaxMs),
  };
}

function intervalMs(limits: IdentityLimits): number {
  return 60_000 / limits.requestsPerMinute;
}

/** The earliest time of the next request, the one in flight included. */
export function nextRequestMs(identity: IdentityState, limits: IdentityLimits): number {
  return Math.max(allowedAtMs(identity, limits), identity.inFlight?.untilMs ?? 0);
}

/**
 * When waiting longer would lose a request: the burst is restored completely. Until then leaving a
 * slot to a more urgent request costs nothing.
 */
export function spareUntilMs(identity: IdentityState, limits: IdentityLimits): number {
  return Math.max(nextRequestMs(identity, limits), identity.arrivalMs);
}

/** The earliest time of the next request by rate and pauses. */
function allowedAtMs(identity: IdentityState, limits: IdentityLimits): number {
  const tolerance = (limits.burst - 1) * intervalMs(limits);
  return Math.max(identity.arrivalMs - tolerance, pausedUntilMs(identity));
}

/** Until then it may send no request, because of refusals or missing connections. */
export function pausedUntilMs({ cooldownUntilMs, unreachableUntilMs }: IdentityState): number {
  return Math.max(cooldownUntilMs, unreachableUntilMs);
}

export const identityStatuses = ['free', 'in_use', 'resting', 'silent', 'unreachable'] as const;
export type IdentityStatus = (typeof identityStatuses)[number];

/**
 * `silent` after a refusal, `unreachable` after a request without a connection, `resting` while the
 * rate allows no request.
 */
export function identityStatus(
  identity: IdentityState,
  limits: IdentityLimits,
  nowMs: number,
): IdentityStatus {
  if (identity.cooldownUntilMs > nowMs) return 'silent';
  if (identity.unreachableUntilMs > nowMs) return 'unreachable';
  if (identity.inFlight && identity.inFlight.untilMs > nowMs) return 'in_use';
  return allowedAtMs(identity, limits) > nowMs ? 'resting' : 'free';
}

/** Milliseconds until the rate and pauses of one of these identities allow a request. */
export function firstAllowedInMs(
  identities: readonly IdentityState[],
  limits: IdentityLimits,
  nowMs: number,
): number {
  const soonest = Math.min(...identities.map((identity) => allowedAtMs(identity, limits)));
  return Math.max(0, soonest - nowMs);
}

/** Which identities are not paused, and what is read through any of them. */
export function inUse(identities: readonly IdentityState[], nowMs: number): InUse {
  const inFlight = identities.flatMap(({ inFlight: request }) => request ?? []);
  return {
    active: identities.filter((one) => pausedUntilMs(one) <= nowMs).map(({ id }) => id),
    reads: inFlight.flatMap(({ untilMs, read }) => (read && untilMs > nowMs ? read : [])),
  };
}

/** Takes the identity for one request of this replica. */
export function acquireIdentity(
  identity: IdentityState,
  limits: IdentityLimits,
  { nowMs, holder, ...inFlight }: InFlight & { readonly nowMs: number; readonly holder: string },
): IdentityState {
  return {
    ...identity,
    version: identity.version + 1,
    arrivalMs: Math.max(identity.arrivalMs, nowMs) + intervalMs(limits),
    inFlight,
    holder,
    claims: {},
  };
}

/** The result of a request for its identity. */
export type SlotResult =
  /** The platform served the identity. */
  | { readonly result: 'served' }
  /** Throttled: the cooldown doubles. */
  | { readonly result: 'throttled'; readonly retryAfterMs: number | null }
  /** There was no connection. */
  | { readonly result: 'unreachable' }
  /** The platform responded; the response is not evidence about the identity. */
  | { readonly result: 'answered' }
  /** There is no evidence about the identity. */
  | { readonly result: 'unknown' };

export function releaseIdentity(
  identity: IdentityState,
  limits: IdentityLimits,
  slot: SlotResult,
  nowMs: number,
): IdentityState {
  const free = { ...identity, version: identity.version + 1, inFlight: null };
  const connected = { ...free, connectFailures: 0, unreachableUntilMs: 0 };
  switch (slot.result) {
    case 'served':
      return { ...connected, refusals: 0 };
    case 'answered':
      return connected;
    case 'throttled':
      return cooledDown(connected, limits, slot.retryAfterMs ?? 0, nowMs);
    case 'unreachable':
      return disconnected(free, limits, nowMs);
    case 'unknown':
      return free;
  }
}

/** Silences an identity that was refused what another one was served. */
export function coolDownIdentity(
  identity: IdentityState,
  limits: IdentityLimits,
  nowMs: number,
): IdentityState {
  return cooledDown({ ...identity, version: identity.version + 1 }, limits, 0, nowMs);
}

function cooledDown(
  identity: IdentityState,
  limits: IdentityLimits,
  requestedMs: number,
  nowMs: number,
): IdentityState {
  const refusals = identity.refusals + 1;
  const doubledMs = doubled(limits.cooldownFirstMs, limits.cooldownMaxMs, refusals);
  const cooldownMs = Math.max(doubledMs, requestedMs);
  return { ...identity, refusals, cooldownUntilMs: nowMs + cooldownMs };
}

function disconnected(
  identity: IdentityState,
  limits: IdentityLimits,
  nowMs: number,
): IdentityState {
  const connectFailures = identity.connectFailures + 1;
  const cooldownMs = doubled(limits.unreachableFirstMs, limits.unreachableMaxMs, connectFailures);
  return { ...identity, connectFailures, unreachableUntilMs: nowMs + cooldownMs };
}

function doubled(firstMs: number, maxMs: number, times: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(times - 1, 20));
}
