import { type PeriodicJob, startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import type { EgressConfig } from './egress-config.ts';
import {
  acquireIdentity,
  coolDownIdentity,
  firstAllowedInMs,
  type IdentityLimits,
  type IdentityState,
  inUse,
  nextRequestMs,
  releaseIdentity,
  type SlotResult,
  spareUntilMs,
} from './egress-identity.domain.ts';
import { createEgressQueue, type TakenRequest } from './egress-queue.ts';
import { createIdentityCache, type IdentityCache } from './identity-cache.ts';
import type { IdentityStore } from './identity-store.ts';
import { createSlotClaims } from './slot-claims.ts';
import type { InUse, InventoryRead, SlotRequest, SlotRules } from './slot-order.domain.ts';

/**
 * One permitted request through one identity; released with its result by the reader that sends it.
 */
export interface EgressSlot {
  readonly identityId: string;
  /** Of the request, once it is sent: for all readers that share the slot. */
  response?: Promise<PlatformResponse>;
  release(result: SlotResult): Promise<void>;
}

const intervalMs = 100;
/** A waiting request ends it. */
const noneWaitingMs = 60_000;
const wakeMinMs = 5;
/** A slot that was left to more urgent requests is used this long before it would be lost. */
const yieldGuardMs = 1_000;

type Context = ServiceContext<ServiceConfig & EgressConfig>;

/**
 * Longest time an identity is in use by one request; after a crash it is free then. Longer than any
 * request: an identity in use by another replica is never acquired.
 */
const requestMaxOf = ({ platform }: EgressConfig) => platform.timeoutMs * 2;

export type EgressPool = ReturnType<typeof openEgressPool>;

/**
 * Shares the egress identities between the requests of this replica and, through the store, with the
 * other replicas: rates, cooldowns and pauses hold for all of them.
 */
export function openEgressPool(
  context: Context,
  /** Name of this replica, stored with the identities that it uses. */
  replica: string,
  identityIds: readonly string[],
  store: IdentityStore,
  slotRules: () => SlotRules,
) {
  const { config, clock, lifetime, logger } = context;
  const { identities: limits } = config;
  const requestMaxMs = requestMaxOf(config);
  const identities = createIdentityCache(store, identityIds, limits, requestMaxMs, clock);
  const queue = createEgressQueue<EgressSlot>(slotRules);
  const claims = createSlotClaims(replica, identities, queue, limits, clock);
  const slots = createSlots(context, replica, identities, () => job.wake());
  /** Reads whose slots are being acquired. */
  const starting = new Set<InventoryRead>();
  let wakeTimer: NodeJS.Timeout | undefined;

  /** The request is taken before the identity is acquired: two identities never serve one. */
  async function serveNext(identity: IdentityState, use: InUse): Promise<boolean> {
    const request = queue.takeNext({
      identityId: identity.id,
      liveCredit: identity.liveCredit,
      active: use.active,
      reads: [...use.reads, ...starting],
      canWait: spareUntilMs(identity, limits) > clock.now() + yieldGuardMs,
      ...claims.ofOthers(identity),
    });
    if (!request) return false;
    starting.add(request.read);
    const slot = await slots
      .acquire(identity, request)
      .catch((error: unknown) => {
        request.requeue();
        throw error;
      })
      .finally(() => starting.delete(request.read));
    if (!slot) request.requeue();
    else if (!request.serve(slot)) await slot.release({ result: 'unknown' });
    return slot !== null;
  }

  async function serveWaiting(): Promise<boolean> {
    if (queue.size === 0) {
      await claims.withdraw();
      return false;
    }
    const all = await identities.currentIdentities();
    const nowMs = clock.now();
    const free = freeIdentities(all, limits, nowMs);
    const use = inUse(all, nowMs);
    const served = await Promise.all(free.map((identity) => serveNext(identity, use)));
    if (served.some(Boolean)) return true;
    wakeWhenFree(all, nowMs);
    await claims.claim(all, use);
    return false;
  }

  /** One that is free and serves nothing that waits is checked with the others. */
  function wakeWhenFree(all: readonly IdentityState[], nowMs: number): void {
    const times = all.map((identity) => nextRequestMs(identity, limits));
    const soonestMs = Math.min(...times.filter((timeMs) => timeMs > nowMs));
    if (soonestMs - nowMs >= intervalMs) return;
    clearTimeout(wakeTimer);
    wakeTimer = setTimeout(() => job.wake(), Math.max(wakeMinMs, soonestMs - nowMs));
  }

  lifetime.defer('egress slots', () => {
    clearTimeout(wakeTimer);
    return slots.idle();
  });
  const job: PeriodicJob = startPeriodicJob({
    name: 'egress identities',
    intervalMs: () => (queue.size > 0 ? intervalMs : noneWaitingMs),
    lifetime,
    logger,
    runOnce: serveWaiting,
  });

  return {
    /** Waits for a slot in the order of the plan; undefined when the signal is aborted first. */
    acquire(request: SlotRequest, signal: AbortSignal) {
      const slot = queue.wait(request, signal);
      job.wake();
      return slot;
    },
    /** Silences an identity that was refused what another one is served. */
    coolDownIdentity: (identityId: string): Promise<void> =>
      identities.updateIdentity(identityId, (identity) =>
        coolDownIdentity(identity, limits, clock.now()),
      ),
    /** Milliseconds until an identity may send a request, waiting requests not considered. */
    freeInMs: async (): Promise<number> =>
      firstAllowedInMs(await identities.currentIdentities(), limits, clock.now()),
    /** As old as the identity cache allows. */
    identityStates: (): Promise<readonly IdentityState[]> => identities.currentIdentities(),
    get waiting(): number {
      return queue.size;
    },
  };
}

/** The one with the most of its burst left first, so that none comes near the platform's limit. */
function freeIdentities(all: readonly IdentityState[], limits: IdentityLimits, nowMs: number) {
  return all
    .filter((identity) => nextRequestMs(identity, limits) <= nowMs)
    .toSorted((one, other) => one.arrivalMs - other.arrivalMs);
}

interface Slots {
  /** Null when another replica uses the identity. */
  acquire(identity: IdentityState, request: TakenRequest<EgressSlot>): Promise<EgressSlot | null>;
  /** Resolves when every slot is released: its release is stored, or has failed. */
  idle(): Promise<void>;
}

function createSlots(
  { config, clock, identifiers }: Context,
  holder: string,
  identities: IdentityCache,
  onReleased: () => void,
): Slots {
  const { identities: limits } = config;
  const held = new Set<Promise<void>>();

  async function release(identityId: string, token: string, result: SlotResult): Promise<void> {
    await identities.updateIdentity(identityId, (identity) =>
      identity.inFlight?.token === token
        ? releaseIdentity(identity, limits, result, clock.now())
        : identity,
    );
    onReleased();
  }

  return {
    async acquire(identity, { liveCredit, read }) {
      const nowMs = clock.now();
      const token = identifiers.uuidV7();
      const use = { token, nowMs, untilMs: nowMs + requestMaxOf(config), read, holder };
      const next = { ...acquireIdentity(identity, limits, use), liveCredit };
      if (!(await identities.saveIdentity(identity, next))) return null;
      const { id: identityId } = identity;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      held.add(ended);
      return {
        identityId,
        release: (result) =>
          release(identityId, token, result).finally(() => {
            held.delete(ended);
            end();
          }),
      };
    },
    async idle() {
      await Promise.all(held);
    },
  };
}
