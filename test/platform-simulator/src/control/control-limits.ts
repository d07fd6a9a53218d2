import { z } from 'zod';
import { setBounded } from '../bounded-map.ts';
import { type Counter, resetCounters } from '../platform/counters.ts';
import { rememberedMax, type World } from '../platform/world.ts';
import { type ControlAnswer, ok, withBody } from './control-answer.ts';

const seconds = z.number().min(0).max(86_400);
const milliseconds = z.int().min(0).max(600_000);

const limitsBody = z
  .strictObject({
    window_seconds: seconds,
    slots: z.int().min(0).max(1_000_000).nullable(),
    block_seconds: seconds,
    count_max: z.int().min(1).max(10_000),
  })
  .partial();

const latencyBody = z.strictObject({ fixed_ms: milliseconds, slow_ms: milliseconds }).partial();

const identityBody = z.strictObject({
  mode: z.enum(['normal', 'bad_request', 'block_page', 'firewall_html']),
});

export function readLimits({ limits }: World): ControlAnswer {
  return ok({
    window_seconds: limits.windowSeconds,
    slots: limits.slots,
    block_seconds: limits.blockSeconds,
    count_max: limits.countMax,
  });
}

export function changeLimits(world: World, body: unknown): ControlAnswer {
  return withBody(limitsBody, body, (said) => {
    world.limits = {
      windowSeconds: said.window_seconds ?? world.limits.windowSeconds,
      slots: said.slots === undefined ? world.limits.slots : said.slots,
      blockSeconds: said.block_seconds ?? world.limits.blockSeconds,
      countMax: said.count_max ?? world.limits.countMax,
    };
    return readLimits(world);
  });
}

/** Forgets all windows and blocks: every identity starts with all its slots. */
export function clearLimiter(world: World): ControlAnswer {
  world.limiters.clear();
  return ok({ cleared: true });
}

export function readLatency({ latency }: World): ControlAnswer {
  return ok({ fixed_ms: latency.fixedMs, slow_ms: latency.slowMs });
}

export function changeLatency(world: World, body: unknown): ControlAnswer {
  return withBody(latencyBody, body, (said) => {
    world.latency = {
      fixedMs: said.fixed_ms ?? world.latency.fixedMs,
      slowMs: said.slow_ms ?? world.latency.slowMs,
    };
    return readLatency(world);
  });
}

export function readIdentities(world: World): ControlAnswer {
  return ok({ identities: Object.fromEntries(world.identityModes) });
}

export function changeIdentity(world: World, identity: string, body: unknown): ControlAnswer {
  return withBody(identityBody, body, ({ mode }) => {
    if (mode === 'normal') {
      world.identityModes.delete(identity);
    } else {
      setBounded(world.identityModes, identity, mode, rememberedMax);
    }
    return ok({ identity, mode });
  });
}

/** All counters; `platformId` and `identity` narrow the lists. */
export function readCounters(
  { counters }: World,
  only: { readonly platformId: string | null; readonly identity: string | null },
): ControlAnswer {
  return ok({
    total: wireCounter(counters.total),
    identities: wireGroup(counters.identities, only.identity),
    accounts: wireGroup(counters.accounts, only.platformId),
  });
}

export function clearCounters(world: World): ControlAnswer {
  resetCounters(world.counters);
  return ok({ cleared: true });
}

function wireGroup(group: ReadonlyMap<string, Counter>, only: string | null) {
  const entries = [...group].filter(([key]) => only === null || key === only);
  return Object.fromEntries(entries.map(([key, counter]) => [key, wireCounter(counter)]));
}

function wireCounter(counter: Counter) {
  return {
    requests: counter.requests,
    throttled: counter.throttled,
    in_flight: counter.inFlight,
    in_flight_max: counter.inFlightMax,
    by_status: counter.byStatus,
  };
}
