import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';

/** Which scans the circuit breakers of their applications let read: all, one as the probe, or none. */
export interface AppGate {
  admits(appId: number): boolean;
  /** False where a scan would be the probe. */
  admitsAll(appId: number): boolean;
  /** Counts a scan that reads. */
  record(appId: number): void;
}

export function openAppGate({ scanAllowance }: Pick<QueueSnapshot, 'scanAllowance'>): AppGate {
  const recorded = new Set<number>();
  const admitsAll = (appId: number) => scanAllowance(appId) === 'all';
  return {
    admits: (appId) => admitsAll(appId) || (scanAllowance(appId) === 'one' && !recorded.has(appId)),
    admitsAll,
    record: (appId) => void recorded.add(appId),
  };
}

/** Those of the scans, in their order, that the gate admits; each is counted. */
export function throughGate(scans: readonly StartedScan[], gate: AppGate): StartedScan[] {
  return scans.filter(({ appId }) => {
    if (!gate.admits(appId)) return false;
    gate.record(appId);
    return true;
  });
}
