import { getOrCreate } from '../bounded-map.ts';

/** What one egress identity or one account did since the counters were reset. */
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
 * Counts a request as arrived. The function returned is called once, when its answer is sent or its
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

/** Starts counting at zero; requests in flight stay counted as such. */
export function resetCounters(counters: Counters): void {
  restart(counters.total);
  for (const group of [counters.identities, counters.accounts]) {
    for (const [key, counter] of group) {
      restart(counter);
      if (counter.inFlight === 0) {
        group.delete(key);
      }
    }
  }
}

function restart(counter: Counter): void {
  counter.requests = 0;
  counter.throttled = 0;
  counter.inFlightMax = counter.inFlight;
  counter.byStatus = {};
}

function newCounter(): Counter {
  return { requests: 0, throttled: 0, inFlight: 0, inFlightMax: 0, byStatus: {} };
}
