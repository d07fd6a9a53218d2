import type { StartedScan } from '@inventory/refresh-collector/planning/queue-snapshot.domain';
import type { QueuedRefresh } from '@inventory/refresh-collector/planning/queued-refreshes.domain';
import type { Arrival } from './mix.ts';

/** A refresh in a simulation, from its arrival to its end. */
export interface SimulatedScan {
  readonly id: string;
  readonly inventory: string;
  readonly arrival: Arrival;
  readonly queueDeadlineMs: number;
  state: 'queued' | 'running' | 'parked' | 'ended';
  startedMs: number | null;
  deadlineMs: number;
  isReserved: boolean;
  /** When all pages that it was known to have were reserved last; null while they are not. */
  reservedMs: number | null;
  pagesRead: number;
  tries: number;
  replica: number;
}

export function arrivedScan(arrival: Arrival, index: number, queueMs: number): SimulatedScan {
  const id = `refresh-${String(index).padStart(6, '0')}`;
  return {
    id,
    inventory: arrival.inventory ?? id,
    arrival,
    queueDeadlineMs: arrival.atMs + queueMs,
    state: 'queued',
    startedMs: null,
    deadlineMs: 0,
    isReserved: true,
    reservedMs: null,
    pagesRead: 0,
    tries: 0,
    replica: 0,
  };
}

const planned = ({ id, inventory, arrival: { accountId, appId } }: SimulatedScan) => ({
  id,
  inventory,
  accountId,
  appId,
});

export function queuedRefresh(scan: SimulatedScan): QueuedRefresh {
  const { queueDeadlineMs, arrival } = scan;
  return { ...planned(scan), queueDeadlineMs, expectedPages: arrival.pagesKnown };
}

/** The first page reports the real size. */
export function startedScan(scan: SimulatedScan, typicalPages: number): StartedScan {
  const { pagesKnown, pages } = scan.arrival;
  const isReported = scan.pagesRead > 0;
  return {
    ...planned(scan),
    deadlineMs: scan.deadlineMs,
    pagesLeft: Math.max(1, isReported ? pages - scan.pagesRead : (pagesKnown ?? typicalPages)),
    isSizeKnown: isReported || pagesKnown !== null,
    isReserved: scan.isReserved,
    parked: scan.state === 'parked',
  };
}
