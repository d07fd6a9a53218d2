import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';

/** Which scans the circuit breakers of their applications let read: all, one as the probe, or none. */
export interface AppGate {
  admits(appId: number): boolean;
  /** Whether a scan of the application would be its probe. */
  isProbed(appId: number): boolean;
  /** Counts a scan that reads. */
  record(appId: number): void;
}

export function openAppGate({ scanAllowance }: Pick<QueueSnapshot, 'scanAllowance'>): AppGate {
  const recorded = new Set<number>();
  const isProbed = (appId: number) => scanAllowance(appId) === 'one';
  return {
    admits: (appId) => scanAllowance(appId) !== 'none' && !(isProbed(appId) && recorded.has(appId)),
    isProbed,
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
