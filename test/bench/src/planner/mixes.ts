import { shuffled } from '@inventory/testkit/seeded-random';
import type { Arrival, IdentityLoss, Mix } from './mix.ts';
import { limits } from './simulated-egress.ts';

interface Group {
  readonly count: number;
  readonly pages: number;
  readonly accounts?: number;
  readonly appId?: number;
  readonly pagesKnown?: number | null;
  readonly prefix?: string;
}

function arrivals(...groups: readonly Group[]): Arrival[] {
  return groups.flatMap(({ count, pages, accounts = 1, appId = 730, prefix = 'a', ...group }) =>
    Array.from({ length: count }, (_, index) => ({
      atMs: 0,
      accountId: `${prefix}${index % accounts}`,
      appId,
      pages,
      pagesKnown: group.pagesKnown === undefined ? pages : group.pagesKnown,
    })),
  );
}

const identities = 8;

function mix(name: string, of: Partial<Mix> & Pick<Mix, 'arrivals'>): Mix {
  return {
    name,
    identities,
    deadIdentities: 0,
    replicas: 1,
    liveShare: 0,
    downApps: [],
    completedMin: 0,
    ...of,
  };
}

const steadyMinutes = 180;
const steadyAccounts = 8;

/** Arrivals spread over three hours; sizes are spread evenly by their logarithm. */
function steadyArrivals(random: () => number, part: number, pagesMax: number): Arrival[] {
  const pagesMin = part * steadyMinutes * identities * limits.requestsPerMinute;
  const arrived: Arrival[] = [];
  for (let sum = 0; sum < pagesMin; ) {
    const pages = Math.floor((pagesMax + 1) ** random());
    const atMs = random() * steadyMinutes * 60_000;
    const accountId = `a${arrived.length % steadyAccounts}`;
    arrived.push({ atMs, accountId, appId: 730, pages, pagesKnown: pages });
    sum += pages;
  }
  return arrived.toSorted((left, right) => left.atMs - right.atMs);
}

/** Loads that arrive at once and that identities can serve in full. */
function healthyMixes(): Mix[] {
  const sixteenLarge = arrivals({ count: 16, pages: 125 });
  return [
    mix('16 of 125 pages on 8 identities', { arrivals: sixteenLarge, completedMin: 15 }),
    mix('2 of 125 pages on 1 identity', {
      arrivals: arrivals({ count: 2, pages: 125 }),
      identities: 1,
      completedMin: 2,
    }),
    mix('64 of 40 pages of 8 accounts', {
      arrivals: arrivals({ count: 64, pages: 40, accounts: 8 }),
      completedMin: 50,
    }),
    mix('200 of 1 page and 4 of 125', {
      arrivals: arrivals(
        { count: 4, pages: 125, prefix: 'large' },
        { count: 200, pages: 1, accounts: 10, prefix: 'small' },
      ),
    }),
    mix('five replicas', { arrivals: sixteenLarge, replicas: 5, completedMin: 15 }),
  ];
}

function disturbedMixes(): Mix[] {
  return [
    mix('one application down with half of the queue', {
      arrivals: arrivals(
        { count: 64, pages: 10, accounts: 8, appId: 440 },
        { count: 64, pages: 10, accounts: 8 },
      ),
      downApps: [440],
    }),
    mix('half of the egress dead', {
      arrivals: arrivals({ count: 8, pages: 125 }),
      deadIdentities: 4,
    }),
    mix('30 % live pages', { arrivals: arrivals({ count: 11, pages: 125 }), liveShare: 0.3 }),
  ];
}

/** The seed sets the order of arrival where one account has both sizes. */
function unknownMixes(random: () => number): Mix[] {
  return [
    mix('16 of unknown size that turn out large', {
      arrivals: arrivals({ count: 16, pages: 125, pagesKnown: null }),
    }),
    mix('unknown sizes, one in ten large', {
      arrivals: shuffled(
        arrivals(
          { count: 10, pages: 125, pagesKnown: null, accounts: 5 },
          { count: 90, pages: 1, pagesKnown: null, accounts: 5 },
        ),
        random,
      ),
    }),
    mix('sizes believed small that turn out large', {
      arrivals: arrivals({ count: 16, pages: 125, pagesKnown: 1 }),
    }),
  ];
}

/** All identities are lost together for a time, from the end of the first hour on. */
function outageMixes(random: () => number): Mix[] {
  const fromMs = 60 * 60_000;
  const away = (minutes: number, result: IdentityLoss['result']) =>
    mix(`all identities ${result} for ${minutes} minutes, then back`, {
      arrivals: steadyArrivals(random, 0.6, 40),
      losses: Array.from({ length: identities }, (_, identity) => ({
        identity,
        fromMs,
        untilMs: fromMs + minutes * 60_000,
        result,
      })),
    });
  return [5, 60].flatMap((minutes) => [away(minutes, 'unreachable'), away(minutes, 'throttled')]);
}

export function mixesOf(random: () => number): readonly Mix[] {
  return [
    ...healthyMixes(),
    ...disturbedMixes(),
    ...unknownMixes(random),
    mix('three hours at 90 % of the capacity', { arrivals: steadyArrivals(random, 0.9, 125) }),
    ...outageMixes(random),
  ];
}
