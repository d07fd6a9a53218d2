import { gauge } from '@inventory/runtime/instruments';
import type { PublishedPlan } from '../plan/published-plan.domain.ts';

const scansRunning = gauge({
  name: 'inventory.scans.running',
  description: 'Scans of this replica',
});
const planPages = gauge({
  name: 'inventory.plan.pages',
  description:
    'Pages reserved for running scans, waiting in all, and free before the last deadline; all replicas report the same',
  labels: { kind: ['reserved', 'waiting', 'free'] },
});
const planWait = gauge({
  name: 'inventory.plan.wait',
  description: 'Time that all waiting pages are expected to take; all replicas report the same',
  unit: 's',
});
const setAside = gauge({
  name: 'inventory.refresh.set_aside',
  description:
    'Open refreshes whose planned step failed five times in a row or more; 0 on replicas that do not plan',
});

export function observeScans(read: {
  readonly running: () => number;
  readonly plan: () => PublishedPlan;
  readonly setAside: () => number;
}): void {
  scansRunning.observe((observe) => observe(read.running()));
  setAside.observe((observe) => observe(read.setAside()));
  planPages.observe((observe) => {
    const { pagesReserved, pagesWaiting, pagesFree } = read.plan();
    observe(pagesReserved, { kind: 'reserved' });
    observe(pagesWaiting, { kind: 'waiting' });
    observe(pagesFree, { kind: 'free' });
  });
  planWait.observe((observe) => {
    const { pagesWaiting, pagesPerMinute } = read.plan();
    observe(pagesPerMinute > 0 ? (pagesWaiting * 60) / pagesPerMinute : 0);
  });
}
