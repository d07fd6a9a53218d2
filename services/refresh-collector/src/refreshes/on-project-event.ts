import type { Handlers } from '@inventory/messaging/dispatch';
import { applyFact, type SagaDeps } from './apply-fact.ts';

export function onProjectEvent(saga: SagaDeps): Handlers {
  return {
    'project.event-appended.v1': async ({ body }) => {
      if (body.event.type !== 'inventory.refresh.completed') return;
      const { refresh_id: refreshId } = body.event.data;
      await applyFact(saga, refreshId, { fact: 'event_appended' }, 'publish');
    },
  };
}
