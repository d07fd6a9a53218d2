import type { Backoff } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import { createWorkQueue, type Pending, type WorkQueue } from '@inventory/work/work-queue';
import type { WorkKind } from '@inventory/work/worker';
import type { Collection } from 'mongodb';
import { sendEffects } from '../saga/apply-fact.ts';
import type { Saga } from '../saga/open-saga.ts';
import { deadlineOf, type Refresh } from '../saga/refresh.domain.ts';
import {
  pendingRefresh,
  type RefreshDocument,
  type ResendQueue,
  refreshDocument,
} from '../saga/refresh-document.ts';
import { pendingEffects } from '../saga/refresh-saga.domain.ts';
import type { SagaConfig } from '../saga/saga-config.ts';
import { work } from '../work.ts';

/** While the broker takes none. */
const notSentPauseMs = 2_000;
/** Its owner reads what was sent before: a resend is for what was lost. */
const announceAgainMaxMs = 600_000;

/**
 * Resends the pending command of a refresh. The handlers are idempotent and re-emit the recorded
 * outcome, so no lost, expired or dead-lettered record leaves a refresh stuck. From the deadline of
 * an assembly on its scan is abandoned instead. The step that its outcome causes ends the work.
 */
export function resendWork(
  saga: Saga,
  resends: Resends,
  queue: ResendQueue,
  { resend: again, deadlines }: SagaConfig,
): WorkKind<Refresh> {
  return {
    ...work[queue],
    queue: resends[queue],
    again: againOf(queue, again),
    work: (claimed) => resend(saga, claimed, deadlines.settleGraceMs),
  };
}

function againOf(queue: ResendQueue, { firstMs, maxMs }: Backoff): Backoff {
  return { firstMs, maxMs: queue === 'announcements' ? announceAgainMaxMs : maxMs };
}

async function resend(
  saga: Saga,
  { item: refresh, tries }: Pending<Refresh>,
  settleGraceMs: number,
) {
  const { clock, logger } = saga;
  const { refreshId, phase } = refresh;
  const deadlineMs = deadlineOf(refresh, settleGraceMs);
  const isOverdue = deadlineMs !== null && clock.now() >= deadlineMs;
  return await inSpan(
    { name: `resend pending command ${phase}`, parent: refresh.trace },
    async () => {
      logger.info({ refreshId, phase, tries, overdue: isOverdue }, 'resending pending command');
      try {
        await sendEffects(saga, refresh, pendingEffects(refresh, isOverdue));
        return 'later' as const;
      } catch (error) {
        logger.warn({ err: error, refreshId }, 'pending command not sent');
        return notSentPauseMs;
      }
    },
  );
}

/** Resends of refreshes, by their queue. */
export type Resends = Readonly<Record<ResendQueue, WorkQueue<Refresh>>>;

export function openResends(
  collection: Collection<RefreshDocument>,
  resend: Backoff,
  logger: Logger,
): Resends {
  const queueOf = (queue: ResendQueue) =>
    createWorkQueue({
      collection,
      documents: refreshDocument,
      queue,
      waitMaxMs: againOf(queue, resend).maxMs,
      projection: { pages: 0 },
      shardOf: ({ projectId }) => ({ projectId }),
      toItem: pendingRefresh,
      completed: 'kept',
      logger,
    });
  return { commands: queueOf('commands'), announcements: queueOf('announcements') };
}
