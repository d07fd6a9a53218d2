import type { Handlers } from '@inventory/messaging/dispatch';
import { applyFact, type SagaDeps } from './apply-fact.ts';

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
          changed: body.changed,
          observedAssets: body.observed_assets,
        },
        'publish',
      );
    },
    'revision.rejected.v1': async ({ body }) => {
      if (body.refresh_id === null) return;
      await applyFact(saga, body.refresh_id, { fact: 'rejected', reason: body.reason }, 'publish');
    },
  };
}
