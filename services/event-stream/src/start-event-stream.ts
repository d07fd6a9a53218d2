import { byKey } from '@inventory/messaging/dispatch';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import Router from '@koa/router';
import type { EventStreamConfig } from './config.ts';
import { onRefreshCompleted } from './consumers/on-refresh-completed.ts';
import { countAppended } from './metrics.ts';
import { indexes, openLogCollection } from './storage/collections.ts';
import { createProjectLog } from './storage/project-log.ts';

const lanesMax = 16;

/** Starts the service: the log, its consumer, and internal HTTP last. */
export async function startEventStream(
  context: ServiceContext<EventStreamConfig>,
): Promise<StartedService> {
  const { lifetime, clock } = context;
  const { db, bus, health } = await openBackends(context, 'event-stream', indexes);
  const log = createProjectLog(openLogCollection(db), clock);
  const subscription = await bus.consume({
    group: 'event-stream',
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey(
      onRefreshCompleted({ log, publish: bus.publish, onAppended: countAppended }),
      lanesMax,
    ),
  });
  lifetime.defer('consumer', () => subscription.stop());
  return serveInternal(context, new Router(), health);
}
