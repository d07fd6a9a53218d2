/** How fast one egress identity may ask, and how long it keeps silent after a refusal. */
export interface IdentityLimits {
  readonly requestsPerMinute: number;
  /** Requests that may follow each other at once after a pause. */
  readonly burst: number;
  readonly silenceFirstMs: number;
  readonly silenceMaxMs: number;
}

/** One address the platform sees us by. Shared by all replicas; one request in flight at a time. */
export interface IdentityState {
  readonly id: string;
  readonly version: number;
  /** Theoretical arrival time of the generic cell rate algorithm. */
  readonly arrivalMs: number;
  readonly inFlight: { readonly token: string; readonly untilMs: number } | null;
  /** No request before this time: every early one would lengthen the platform's block. */
  readonly silentUntilMs: number;
  /** Refusals in a row; the silence doubles with each. */
  readonly refusals: number;
}

export function freshIdentity(id: string): IdentityState {
  return { id, version: 0, arrivalMs: 0, inFlight: null, silentUntilMs: 0, refusals: 0 };
}

function intervalMs(limits: IdentityLimits): number {
  return 60_000 / limits.requestsPerMinute;
}

/** The earliest time this identity may send its next request; its answer may still be awaited. */
export function nextRequestMs(identity: IdentityState, limits: IdentityLimits): number {
  return Math.max(restedMs(identity, limits), identity.inFlight?.untilMs ?? 0);
}

/**
 * When waiting longer would lose a request: the identity has saved up all that its burst allows.
 * Until then a slot can be left to a more urgent request at no cost.
 */
export function spareUntilMs(identity: IdentityState, limits: IdentityLimits): number {
  return Math.max(nextRequestMs(identity, limits), identity.arrivalMs);
}

/** The earliest time its rate and its silence let this identity ask again. */
function restedMs(identity: IdentityState, limits: IdentityLimits): number {
  const tolerance = (limits.burst - 1) * intervalMs(limits);
  return Math.max(identity.arrivalMs - tolerance, identity.silentUntilMs);
}

export const identityStandings = ['free', 'in_use', 'resting', 'silent'] as const;
export type IdentityStanding = (typeof identityStandings)[number];

/** What an identity does now: `silent` after a refusal, `resting` where its rate makes it wait. */
export function standingOf(
  identity: IdentityState,
  limits: IdentityLimits,
  nowMs: number,
): IdentityStanding {
  if (identity.silentUntilMs > nowMs) return 'silent';
  if (identity.inFlight && identity.inFlight.untilMs > nowMs) return 'in_use';
  return restedMs(identity, limits) > nowMs ? 'resting' : 'free';
}

/** Until the first of these identities is rested, in milliseconds. */
export function firstRestedInMs(
  identities: readonly IdentityState[],
  limits: IdentityLimits,
  nowMs: number,
): number {
  const soonest = Math.min(...identities.map((identity) => restedMs(identity, limits)));
  return Math.max(0, soonest - nowMs);
}

/** Takes the identity for one request that ends by `untilMs` at the latest. */
export function takeIdentity(
  identity: IdentityState,
  limits: IdentityLimits,
  request: { token: string; nowMs: number; untilMs: number },
): IdentityState {
  return {
    ...identity,
    version: identity.version + 1,
    arrivalMs: Math.max(identity.arrivalMs, request.nowMs) + intervalMs(limits),
    inFlight: { token: request.token, untilMs: request.untilMs },
  };
}

/** How a request went, as far as its identity is concerned. */
export type IdentityVerdict =
  /** The platform answered this identity like anybody else. */
  | { readonly verdict: 'served' }
  /** Throttled: keep silent, twice as long as last time. */
  | { readonly verdict: 'throttled'; readonly retryAfterMs: number | null }
  /** No answer that says anything about the identity. */
  | { readonly verdict: 'unknown' };

export function giveIdentityBack(
  identity: IdentityState,
  limits: IdentityLimits,
  verdict: IdentityVerdict,
  nowMs: number,
): IdentityState {
  const free = { ...identity, version: identity.version + 1, inFlight: null };
  switch (verdict.verdict) {
    case 'served':
      return { ...free, refusals: 0 };
    case 'unknown':
      return free;
    case 'throttled':
      return silenced(free, limits, verdict.retryAfterMs ?? 0, nowMs);
  }
}

/** Refused where another identity was served: a block page, not an answer about the inventory. */
export function blockIdentity(
  identity: IdentityState,
  limits: IdentityLimits,
  nowMs: number,
): IdentityState {
  return silenced({ ...identity, version: identity.version + 1 }, limits, 0, nowMs);
}

function silenced(
  identity: IdentityState,
  limits: IdentityLimits,
  askedMs: number,
  nowMs: number,
): IdentityState {
  const refusals = identity.refusals + 1;
  const doubledMs = limits.silenceFirstMs * 2 ** Math.min(refusals - 1, 20);
  const silenceMs = Math.max(Math.min(doubledMs, limits.silenceMaxMs), askedMs);
  return { ...identity, refusals, silentUntilMs: nowMs + silenceMs };
}
