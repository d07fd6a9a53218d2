/** A refresh that arrives in a simulated mix. */
export interface Arrival {
  readonly atMs: number;
  readonly accountId: string;
  readonly appId: number;
  /** Pages it really has. */
  readonly pages: number;
  /** Pages that its last saved observation had; null where there is none. */
  readonly pagesKnown: number | null;
}

/** What arrives, and on what it is read. */
export interface Mix {
  readonly name: string;
  readonly arrivals: readonly Arrival[];
  readonly identities: number;
  /** Of the identities, how many never get through to the platform. */
  readonly deadIdentities: number;
  readonly replicas: number;
  /** Part of the slots that live pages ask for. */
  readonly liveShare: number;
  /** Applications whose every page fails. */
  readonly downApps: readonly number[];
  /** Refreshes that have to complete at least; 0 where only the ratios count. */
  readonly completedMin: number;
}

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

function mix(name: string, of: Partial<Mix> & Pick<Mix, 'arrivals'>): Mix {
  return {
    name,
    identities: 8,
    deadIdentities: 0,
    replicas: 1,
    liveShare: 0,
    downApps: [],
    completedMin: 0,
    ...of,
  };
}

const sixteenLarge = arrivals({ count: 16, pages: 125 });

export const mixes: readonly Mix[] = [
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
  mix('five replicas', { arrivals: sixteenLarge, replicas: 5, completedMin: 15 }),
  mix('16 of unknown size that turn out large', {
    arrivals: arrivals({ count: 16, pages: 125, pagesKnown: null }),
  }),
  mix('unknown sizes, one in ten large', {
    arrivals: arrivals(
      { count: 10, pages: 125, pagesKnown: null, accounts: 5 },
      { count: 90, pages: 1, pagesKnown: null, accounts: 5 },
    ),
  }),
  mix('sizes believed small that turn out large', {
    arrivals: arrivals({ count: 16, pages: 125, pagesKnown: 1 }),
  }),
];
