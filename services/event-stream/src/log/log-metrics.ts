import { type ProjectEventType, projectEventTypes } from '@inventory/contracts/http/project-event';
import { type RefreshOutcome, refreshOutcomes } from '@inventory/contracts/vocabulary';
import { counter, histogram } from '@inventory/runtime/instruments';

const appended = counter({
  name: 'inventory.events.appended',
  description: 'Announcements that were appended, or whose event had a position already',
  labels: { type: projectEventTypes, outcome: refreshOutcomes },
});
const appendDelay = histogram({
  name: 'inventory.events.append.delay',
  description: 'Time from the announced fact until its event is appended, duplicates included',
  unit: 's',
  labels: { type: projectEventTypes },
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

/** An event was appended, or had its position already; one of a refresh with its outcome. */
export function countAppended(
  { type, occurredAtMs }: { readonly type: ProjectEventType; readonly occurredAtMs: number },
  nowMs: number,
  outcome?: RefreshOutcome,
): void {
  appended.add(1, outcome === undefined ? { type } : { type, outcome });
  appendDelay.record(Math.max(0, nowMs - occurredAtMs) / 1_000, { type });
}
