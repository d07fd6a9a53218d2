import { projectEventTypes } from '@inventory/contracts/http/project-event';
import { refreshOutcomes } from '@inventory/contracts/vocabulary';
import { fromIsoTime } from '@inventory/runtime/clock';
import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';
import type { LoggedEvent } from './project-event.domain.ts';

const { counter, histogram } = instrumentsOf(metrics.getMeter('@inventory/event-stream'));

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
/** An event was appended, or had its position already. */
export function countAppended(event: LoggedEvent, nowMs: number): void {
  const { type } = event;
  const outcome = event.type === 'inventory.refresh.completed' ? { outcome: event.outcome } : {};
  appended.add(1, { type, ...outcome });
  appendDelay.record(Math.max(0, nowMs - fromIsoTime(event.occurredAt)) / 1_000, { type });
}
