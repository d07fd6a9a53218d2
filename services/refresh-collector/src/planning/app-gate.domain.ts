import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';

export type AppGate = ReturnType<typeof openAppGate>;

/** Which scans the circuit breakers of their applications let read: all, one as the probe, or none. */
export function openAppGate(scanAllowance: QueueSnapshot['scanAllowance']) {
  const recorded = new Set<number>();
  const admitsAll = (appId: number) => scanAllowance(appId) === 'all';
  return {
    admits: (appId: number): boolean =>
      admitsAll(appId) || (scanAllowance(appId) === 'one' && !recorded.has(appId)),
    /** False where a scan would be the probe. */
    admitsAll,
    /** Counts a scan that reads. */
    record: (appId: number): void => void recorded.add(appId),
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
