import type { BillingOutcome } from '@inventory/contracts/messages/billing-outcome';
import type { Handlers } from '@inventory/messaging/dispatch';
import { release } from '../clients/saga-messages.ts';
import { factOfBillingOutcome } from '../convert.ts';
import { applyFact, type SagaDependencies } from '../operations/apply-fact.ts';

export function onBillingOutcome(saga: SagaDependencies): Handlers {
  return {
    'billing.outcome.v1': async ({ body }) => {
      const { refresh_id: refreshId } = body;
      const fact = factOfBillingOutcome(body, saga.clock.now());
      if (refreshId === null || !fact) return;
      const known = await applyFact(saga, refreshId, fact, 'publish');
      if (!known && ownsNothing(body)) {
        const of = { id: refreshId, accountId: body.account_id, projectId: body.project_id };
        await saga.publish([release(of)]);
      }
    },
  };
}

/** A hold was made for a refresh that does not exist: it must not stay. */
function ownsNothing(
  outcome: BillingOutcome,
): outcome is BillingOutcome & { project_id: NonNullable<BillingOutcome['project_id']> } {
  return outcome.kind === 'reserve' && outcome.result === 'applied' && outcome.project_id !== null;
}
