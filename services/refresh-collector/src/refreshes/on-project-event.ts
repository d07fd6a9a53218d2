import type { Handlers } from '@inventory/messaging/dispatch';
import { applyFact, type SagaDeps } from './apply-fact.ts';

export function onProjectEvent(saga: SagaDeps): Handlers {
  return {
    'project.event-appended.v1': async ({ body }) => {
      const refreshId = body.event.refresh_id;
      if (refreshId === null) return;
      await applyFact(saga, refreshId, { fact: 'event_appended' }, 'publish');
    },
  };
}
