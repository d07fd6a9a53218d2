import { metrics } from '@opentelemetry/api';
import type { LoggedEvent } from './domain/project-event.ts';

const appended = metrics
  .getMeter('event-stream')
  .createCounter('inventory.events.appended', { description: 'Announcements that got a place' });

/** An announcement was given its place in a Project's log, or shown the one it had. */
export function countAppended(event: LoggedEvent): void {
  const outcome = event.type === 'inventory.refresh.completed' ? { outcome: event.outcome } : {};
  appended.add(1, { type: event.type, ...outcome });
}
