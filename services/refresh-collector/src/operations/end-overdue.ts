import { inSpan } from '@inventory/runtime/tracing';
import type { Fact } from '../domain/refresh-saga.ts';
import type { DueStore } from '../storage/due-store.ts';
import type { StoredRefresh } from '../storage/stored-refresh.ts';
import { applyTo, type SagaDependencies } from './apply-fact.ts';

const batchMax = 100;

/** Ends what waited in the queue or collected for longer than its deadline. */
export async function endOverdue(dependencies: SagaDependencies, due: DueStore): Promise<boolean> {
  const queued = await due.overdueQueued(batchMax);
  await endAll(dependencies, queued, { fact: 'queue_deadline_passed' });
  const collecting = await due.overdueCollecting(batchMax);
  await endAll(dependencies, collecting, { fact: 'collect_deadline_passed' });
  return queued.length === batchMax || collecting.length === batchMax;
}

async function endAll(
  dependencies: SagaDependencies,
  overdue: readonly StoredRefresh[],
  fact: Fact,
): Promise<void> {
  // A refresh that changed meanwhile is found again in the next round, if it is still overdue.
  for (const stored of overdue) {
    await inSpan({ name: `end overdue ${stored.refresh.phase}`, parent: stored.trace }, () =>
      applyTo(dependencies, stored, fact, { departure: 'outbox' }),
    );
  }
}
