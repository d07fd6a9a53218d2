import { refreshOutcomes } from '@inventory/contracts/vocabulary';
import { counter, histogram } from '@inventory/runtime/instruments';
import {
  isServedFromSaved,
  type Refresh,
  type RefreshPhase,
  refreshPhases,
} from './refresh.domain.ts';

const transitions = counter({
  name: 'inventory.refresh.transitions',
  description: 'Refreshes that entered a phase',
  labels: { phase: refreshPhases, outcome: [...refreshOutcomes, 'none'] },
});
export const lostHolds = counter({
  name: 'inventory.refresh.holds_lost',
  description: 'Refreshes completed without a charge because the ledger had no hold to settle',
});
/** Completed as they were requested, or instead of their scan. */
export const savedCompletions = counter({
  name: 'inventory.refresh.saved',
  description: 'Refreshes completed by a saved observation, without a scan',
});
const refreshDuration = histogram({
  name: 'inventory.refresh.duration',
  description: 'Time from acceptance to terminal, by outcome',
  unit: 's',
  labels: { outcome: [...refreshOutcomes, 'none'] },
  buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200],
});
const scanPages = counter({
  name: 'inventory.scan.pages',
  description: 'Pages read of ended scans: of complete ones, and of all others',
  labels: { result: ['complete', 'wasted'] },
});

/** A refresh entered a new phase. */
export function countTransition(refresh: Refresh, left: RefreshPhase): void {
  const outcome = refresh.outcome ?? 'none';
  if (left === 'collecting') {
    const result = refresh.phase === 'assembling' ? 'complete' : 'wasted';
    scanPages.add(refresh.scan?.pages ?? 0, { result });
  }
  transitions.add(1, { phase: refresh.phase, outcome });
  if (refresh.phase !== 'completed' || refresh.completedAtMs === null || refresh.eventAppended)
    return;
  if (isServedFromSaved(refresh)) savedCompletions.add(1);
  refreshDuration.record((refresh.completedAtMs - refresh.requestedAtMs) / 1_000, { outcome });
}
