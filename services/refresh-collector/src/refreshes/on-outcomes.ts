import type { RefreshId } from '@inventory/contracts/ids';
import type { BillingOutcome } from '@inventory/contracts/messages/billing-outcome';
import type { Handlers } from '@inventory/messaging/dispatch';
import type { Logger } from '@inventory/runtime/logger';
import { applyFact, type SagaDeps } from './apply-fact.ts';
import { factOfBillingOutcome } from './convert.ts';
import { releaseOrphanedHold } from './orphaned-holds.ts';
import { countLostHold } from './refresh-metrics.ts';

export function onBillingOutcome(saga: SagaDeps, logger: Logger): Handlers {
  const reportLostHold = (refreshId: RefreshId) => {
    countLostHold();
    logger.error({ refresh_id: refreshId }, 'hold lost: the refresh is completed without a charge');
  };

  return {
    'billing.outcome.v1': async ({ body, trace }) => {
      const { refresh_id: refreshId } = body;
      const fact = factOfBillingOutcome(body, saga.clock.now());
      if (refreshId === null || !fact) return;
      const applied = await applyFact(saga, refreshId, fact, 'redelivery');
      if (applied?.step === 'changed' && fact.fact === 'hold_lost') reportLostHold(refreshId);
      if (applied || !isHold(body)) return;
      const of = { id: refreshId, accountId: body.account_id, projectId: body.project_id };
      // Stored meanwhile: the hold belongs to it.
      if (!(await releaseOrphanedHold(saga, of, trace))) {
        await applyFact(saga, refreshId, fact, 'redelivery');
      }
    },
  };
}

/** Without its refresh such a hold is orphaned and must be released. */
function isHold(
  outcome: BillingOutcome,
): outcome is BillingOutcome & { project_id: NonNullable<BillingOutcome['project_id']> } {
  return outcome.kind === 'reserve' && outcome.result === 'applied' && outcome.project_id !== null;
}

export function onRevisionOutcomes(saga: SagaDeps): Handlers {
  return {
    'revision.committed.v1': async ({ body }) => {
      if (body.refresh_id === null) return;
      await applyFact(
        saga,
        body.refresh_id,
        {
          fact: 'committed',
          revisionId: body.revision_id,
          previousRevisionId: body.previous_revision_id ?? null,
          changed: body.changed,
          observedAssets: body.observed_assets,
        },
        'redelivery',
      );
    },
    'revision.rejected.v1': async ({ body }) => {
      if (body.refresh_id === null) return;
      await applyFact(
        saga,
        body.refresh_id,
        { fact: 'rejected', reason: body.reason },
        'redelivery',
      );
    },
  };
}

export function onProjectEvent({ refreshes }: Pick<SagaDeps, 'refreshes'>): Handlers {
  return {
    'project.event-appended.v1': async ({ body }) => {
      const refreshId = body.event.refresh_id;
      if (refreshId !== null) await refreshes.recordAppended(refreshId);
    },
  };
}
