import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { type PeriodicJob, startPeriodicJob } from '@inventory/runtime/periodic-job';
import {
  acquireIdentity,
  firstRestedInMs,
  type IdentityLimits,
  type IdentityState,
  nextRequestMs,
  releaseIdentity,
  restIdentity,
  type SlotResult,
  spareUntilMs,
} from './egress-identity.domain.ts';
import { createEgressQueue } from './egress-queue.ts';
import type { IdentityStore } from './identity-store.ts';
import { createKnownIdentities } from './known-identities.ts';
import type { SlotRequest, SlotRules } from './slot-order.domain.ts';

/** One permitted request through one identity; must be given back with how it went. */
export interface EgressSlot {
  readonly identityId: string;
  release(verdict: SlotResult): Promise<void>;
}

export interface EgressPool {
  /**
   * Waits for an identity that may ask now. Undefined when the signal is aborted first. Live
   * pages go before scans, accounts take turns.
   */
  take(request: Omit<SlotRequest, 'order'>, signal: AbortSignal): Promise<EgressSlot | undefined>;
  /** Rests an identity that was refused what another one is served. */
  rest(identityId: string): Promise<void>;
  /** Until the first identity is rested; what those who wait take first is not counted. */
  freeInMs(): Promise<number>;
  /** At most a quarter of a second old. */
  states(): Promise<readonly IdentityState[]>;
  readonly waiting: number;
}

export interface EgressPoolDeps {
  readonly identityIds: readonly string[];
  readonly store: IdentityStore;
  readonly limits: IdentityLimits;
  /** What the plan says about slots now. */
  readonly slotRules: () => SlotRules;
  /** Longest time an identity is held for one request; a crashed replica's is free after it. */
  readonly requestMaxMs: number;
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

const intervalMs = 100;
const wakeMinMs = 5;
/** A slot that was left to more urgent requests is used this long before it would be lost. */
const yieldGuardMs = 1_000;

/**
 * Shares the egress identities between the scans of this replica and, through the store, with
 * those of the others: what a limiter or breaker learns on one replica holds on all.
 */
export function openEgressPool(options: EgressPoolDeps): EgressPool {
  const { limits, clock, lifetime, logger } = options;
  const identities = createKnownIdentities(options.store, options.identityIds, clock);
  const queue = createEgressQueue<EgressSlot>(options.slotRules);
  const returning = new Set<Promise<void>>();
  let wakeTimer: NodeJS.Timeout | undefined;

  function turnOf(identityId: string, token: string): EgressSlot {
    return {
      identityId,
      release(verdict) {
        const returned = identities
          .update(identityId, (identity) =>
            identity.inFlight?.token === token
              ? releaseIdentity(identity, limits, verdict, clock.now())
              : identity,
          )
          .then(() => job.wake())
          .finally(() => returning.delete(returned));
        returning.add(returned);
        return returned;
      },
    };
  }

  /** The request is picked before the identity is taken: two identities never serve one. */
  async function handOut(identity: IdentityState): Promise<boolean> {
    const nowMs = clock.now();
    const canWait = spareUntilMs(identity, limits) > nowMs + yieldGuardMs;
    const request = queue.pick(identity.id, canWait);
    if (!request) return false;
    const token = options.identifiers.uuidV7();
    const use = { token, nowMs, untilMs: nowMs + options.requestMaxMs };
    const taken = await identities
      .save(identity, acquireIdentity(identity, limits, use))
      .catch((error: unknown) => {
        request.putBack();
        throw error;
      });
    if (!taken) {
      request.putBack();
      return false;
    }
    const turn = turnOf(identity.id, token);
    if (!request.serve(turn)) await turn.release({ verdict: 'unknown' });
    return true;
  }

  async function round(): Promise<boolean> {
    if (queue.size === 0) return false;
    const all = await identities.current();
    const now = clock.now();
    const free = all.filter((identity) => nextRequestMs(identity, limits) <= now);
    const handed = (await Promise.all(free.map(handOut))).some(Boolean);
    if (!handed) wakeWhenFree(all, now);
    return handed;
  }

  function wakeWhenFree(all: readonly IdentityState[], now: number): void {
    const soonest = Math.min(...all.map((identity) => nextRequestMs(identity, limits)));
    if (soonest - now >= intervalMs) return;
    clearTimeout(wakeTimer);
    wakeTimer = setTimeout(() => job.wake(), Math.max(wakeMinMs, soonest - now));
  }

  lifetime.defer('egress slots', async () => {
    clearTimeout(wakeTimer);
    await Promise.allSettled(returning);
  });
  const job: PeriodicJob = startPeriodicJob({
    name: 'egress identities',
    intervalMs,
    lifetime,
    logger,
    runOnce: round,
  });

  return {
    take(request, signal) {
      const turn = queue.wait(request, signal);
      job.wake();
      return turn;
    },
    rest: (identityId) =>
      identities.update(identityId, (identity) => restIdentity(identity, limits, clock.now())),
    freeInMs: async () => firstRestedInMs(await identities.current(), limits, clock.now()),
    states: () => identities.current(),
    get waiting() {
      return queue.size;
    },
  };
}
