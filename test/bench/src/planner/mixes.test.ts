import { figuresOf } from './measure.ts';
import { missedFloors } from './missed-floors.ts';
import type { Mix } from './mix.ts';

/** The long test plays every mix with twenty. */
const seeds = [2, 3];
/** Identities that are lost for a time, at many more times and loads, are in returns.test.ts. */
const isWithoutLoss = ({ losses = [] }: Mix) => losses.length === 0;
/** The order of its arrivals decides how much is known of their sizes when. */
const isSensitive = ({ name }: Mix) => name === 'unknown sizes, one in ten large';

describe('the mixes of slots, deadlines and requests', () => {
  it('meet every floor (Refresh: Deadlines)', () => {
    expect(missedFloors(1, isWithoutLoss)).toEqual([]);
  });

  it.each(seeds)('meet it with sizes unknown in any order: seed %i', (seed) => {
    expect(missedFloors(seed, isSensitive)).toEqual([]);
  });
});

describe('the wait over the fair share', () => {
  const arrival = { atMs: 0, accountId: 'a', appId: 730, pages: 1, pagesKnown: 1 };
  const mix: Mix = {
    name: 'one unread of two',
    arrivals: [arrival, { ...arrival, accountId: 'b' }],
    identities: 1,
    deadIdentities: 0,
    replicas: 1,
    liveShare: 0,
    downApps: [],
    completedMin: 0,
  };
  const ended = mix.arrivals.map((of, index) => ({
    arrival: of,
    inventory: of.accountId,
    startedMs: 0,
    endedMs: 1_000,
    pagesRead: 1 - index,
    isReserved: true,
    reservedMs: 0,
    complete: index === 0,
    ranOut: false,
  }));

  it('leaves out no refresh that was never read', () => {
    const { waitOverFair } = figuresOf(mix, { ended });

    expect(waitOverFair).toBe(Number.POSITIVE_INFINITY);
  });
});
