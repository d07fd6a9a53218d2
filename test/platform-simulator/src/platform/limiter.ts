/** Limits of one egress identity. `slots` null means no limit. */
export type WindowLimits = {
  readonly windowMs: number;
  readonly slots: number | null;
  readonly blockMs: number;
};

/** What the platform remembers of one egress identity; owned by the world, changed by `admit`. */
export type LimiterState = {
  /** Times of the admitted requests inside the window, oldest first. */
  readonly admittedAtMs: number[];
  /** The identity is blocked until this instant, unless it sends a request before. */
  blockedUntilMs: number;
};

export function newLimiterState(): LimiterState {
  return { admittedAtMs: [], blockedUntilMs: Number.NEGATIVE_INFINITY };
}

/**
 * Decides one request of an identity and records it. A request beyond the window's slots starts a
 * block; each request during the block starts its full length again, so only a cooldown ends it.
 */
export function admit(state: LimiterState, limits: WindowLimits, nowMs: number): boolean {
  if (limits.slots === null) {
    return true;
  }
  if (nowMs < state.blockedUntilMs) {
    state.blockedUntilMs = nowMs + limits.blockMs;
    return false;
  }
  dropExpired(state.admittedAtMs, nowMs - limits.windowMs);
  if (state.admittedAtMs.length >= limits.slots) {
    // The cooldown that ends a block also ends the window: the identity starts again with all slots.
    state.admittedAtMs.length = 0;
    state.blockedUntilMs = nowMs + limits.blockMs;
    return false;
  }
  state.admittedAtMs.push(nowMs);
  return true;
}

function dropExpired(admittedAtMs: number[], expiredAtMs: number): void {
  const kept = admittedAtMs.findIndex((atMs) => atMs > expiredAtMs);
  admittedAtMs.splice(0, kept === -1 ? admittedAtMs.length : kept);
}
