import { seededRandom } from '@inventory/testkit/seeded-random';
import type { IdentityLoss, Mix } from './mix.ts';
import { collectMs, type Ended, type PlayRules, queueMs, simulate } from './simulate.ts';
import { limits } from './simulated-egress.ts';

/** What cannot be used for a time, and returns. */
export interface Outage {
  readonly identities: number;
  /** Those that are lost; all of them fail where the application does. */
  readonly lost: number;
  readonly minutes: number;
  readonly kind: 'throttled' | 'unreachable' | 'application_down';
  /** Away for two of three minutes. */
  readonly flaps: boolean;
  /** Pages of each refresh. */
  readonly pages: number;
  /** Every second refresh is of unknown size. */
  readonly isHalfUnknown: boolean;
  readonly liveShare: number;
  /** Part of the capacity that arrives before, during and after it. */
  readonly load: number;
}

const minuteMs = 60_000;
const before = 10;
const after = 60;
const seed = 3;
const accounts = 4;
const longestPauseMs = {
  throttled: limits.cooldownMaxMs,
  unreachable: limits.unreachableMaxMs,
  // The longest opening of a breaker, and the time to its next probe.
  application_down: 630_000,
} as const;
const flapMs = 3 * minuteMs;

/** Steady arrivals of one size, from ten minutes before the outage to an hour after it. */
function mixOf(outage: Outage, isLost = true): Mix {
  const { identities, minutes, pages, isHalfUnknown, load, liveShare, kind } = outage;
  const everyMs = (pages * minuteMs) / (identities * limits.requestsPerMinute * load);
  const count = Math.floor(((before + minutes + after) * minuteMs) / everyMs);
  return {
    name: `${identities} identities ${kind} for ${minutes} minutes`,
    arrivals: Array.from({ length: count }, (_, index) => ({
      atMs: Math.round((index + 0.5) * everyMs),
      accountId: `account-${index % accounts}`,
      appId: 730,
      pages,
      pagesKnown: isHalfUnknown && index % 2 === 1 ? null : pages,
    })),
    identities,
    deadIdentities: 0,
    losses: isLost ? lossesOf(outage) : [],
    replicas: 1,
    liveShare,
    downApps: isLost && kind === 'application_down' ? [730] : [],
    downTime: { fromMs: before * minuteMs, untilMs: returnMs(outage) },
    completedMin: 0,
  };
}

function lossesOf(outage: Outage): IdentityLoss[] {
  const { kind: result, lost, minutes, flaps } = outage;
  if (result === 'application_down') return [];
  const fromMs = before * minuteMs;
  const times = flaps
    ? Array.from({ length: Math.ceil((minutes * minuteMs) / flapMs) }, (_, index) => ({
        fromMs: fromMs + index * flapMs,
        untilMs: fromMs + (index + 2 / 3) * flapMs,
      }))
    : [{ fromMs, untilMs: returnMs(outage) }];
  return times.flatMap((time) =>
    Array.from({ length: lost }, (_, identity) => ({ identity, result, ...time })),
  );
}

const returnMs = ({ minutes }: Outage) => (before + minutes) * minuteMs;

const waitMs = ({ arrival, endedMs }: Ended) => endedMs - arrival.atMs;

/** The time in which the pages that wait at the return, queued or started, are read. */
function backlogMs({ minutes, load }: Outage): number {
  return load * Math.min(queueMs + collectMs, minutes * minuteMs);
}

/**
 * What an outage left unfinished; empty where nothing did: everything ends, and what arrives after the
 * return completes within twice its time without the outage, plus the longest pause of an identity
 * and the time of what waits already.
 */
export function leftPending(outage: Outage, rules: PlayRules): string[] {
  const play = (isLost: boolean) => simulate(mixOf(outage, isLost), seededRandom(seed), rules);
  const { ended } = play(true);
  const healthy = new Map(play(false).ended.map((one) => [one.arrival.atMs, one]));
  const lateMs = longestPauseMs[outage.kind] + backlogMs(outage);
  const left: string[] = [];
  if (ended.length !== healthy.size) left.push(`${healthy.size - ended.length} never end`);
  for (const one of ended.filter(({ arrival }) => arrival.atMs >= returnMs(outage))) {
    const usual = healthy.get(one.arrival.atMs);
    const atMinute = (one.arrival.atMs - returnMs(outage)) / minuteMs;
    const named = `the refresh ${atMinute.toFixed(1)} minutes after the return`;
    if (!one.complete) left.push(`${named} is not completed`);
    else if (usual && waitMs(one) > 2 * waitMs(usual) + lateMs) {
      left.push(`${named} takes ${(waitMs(one) / minuteMs).toFixed(1)} minutes`);
    }
  }
  return left;
}
