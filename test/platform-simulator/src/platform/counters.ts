import { getOrCreate } from '../bounded-map.ts';

/** What one egress identity or one account did. */
export type Counter = {
  requests: number;
  throttled: number;
  inFlight: number;
  inFlightMax: number;
  byStatus: Record<string, number>;
};

export type Counters = {
  readonly total: Counter;
  readonly identities: Map<string, Counter>;
  readonly accounts: Map<string, Counter>;
};

const countersMax = 100_000;

export function newCounters(): Counters {
  return { total: newCounter(), identities: new Map(), accounts: new Map() };
}

/** The counters of one request: everything, its identity's, its account's. */
function countersOf(counters: Counters, identity: string, platformId: string): Counter[] {
  return [
    counters.total,
    getOrCreate(counters.identities, identity, newCounter, countersMax),
    getOrCreate(counters.accounts, platformId, newCounter, countersMax),
  ];
}

/**
 * Counts a request as arrived. The function returned is called once, when its response is sent or its
 * connection is gone: only the server can observe when that is.
 */
export function requestArrived(counters: Counters, identity: string, platformId: string) {
  const touched = countersOf(counters, identity, platformId);
  for (const counter of touched) {
    counter.requests += 1;
    counter.inFlight += 1;
    counter.inFlightMax = Math.max(counter.inFlightMax, counter.inFlight);
  }
  return {
    answered(status: number): void {
      for (const counter of touched) {
        counter.throttled += status === 429 ? 1 : 0;
        counter.byStatus[status] = (counter.byStatus[status] ?? 0) + 1;
      }
    },
    finished(): void {
      for (const counter of touched) {
        counter.inFlight -= 1;
      }
    },
  };
}

/** Of one account, or of all. */
export function readCounters(counters: Counters, platformId: string | null) {
  const accounts = [...counters.accounts].filter(
    ([id]) => platformId === null || id === platformId,
  );
  return {
    total: wireCounter(counters.total),
    identities: Object.fromEntries([...counters.identities].map(wireEntry)),
    accounts: Object.fromEntries(accounts.map(wireEntry)),
  };
}

const wireEntry = ([key, counter]: [string, Counter]) => [key, wireCounter(counter)] as const;

function wireCounter(counter: Counter) {
  const { requests, throttled, inFlight, inFlightMax, byStatus } = counter;
  const flying = { in_flight: inFlight, in_flight_max: inFlightMax };
  return { requests, throttled, ...flying, by_status: byStatus };
}

function newCounter(): Counter {
  return { requests: 0, throttled: 0, inFlight: 0, inFlightMax: 0, byStatus: {} };
}
