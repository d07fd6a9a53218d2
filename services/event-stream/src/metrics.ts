import { metrics } from '@opentelemetry/api';

const appended = metrics
  .getMeter('event-stream')
  .createCounter('inventory.events.appended', { description: 'Announcements that got a place' });

/** An announcement was given its place in a Project's log, or shown the one it had. */
export function countAppended(outcome: string): void {
  appended.add(1, { outcome });
}
