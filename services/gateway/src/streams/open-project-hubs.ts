import { fromIsoTime } from '@inventory/runtime/clock';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import { createProjectHubs, type HubsDeps, type ProjectHubs } from './project-hubs.ts';

const ringLimits = { entriesMax: 1_000, bytesMax: 1024 * 1024 };
const ringsBytesMax = 128 * 1024 * 1024;
const hubIdleMs = 180_000;
const headsEveryMs = 5_000;

/** The hubs of this replica: appended events by broadcast, lost ones by comparing heads. */
export function openProjectHubs(
  { lifetime, clock, logger }: ServiceContext<GatewayConfig>,
  broadcasts: Broadcasts,
  deps: Pick<HubsDeps, 'log' | 'sealPosition'>,
): ProjectHubs {
  const limits = { limits: ringLimits, bytesMax: ringsBytesMax, idleMs: hubIdleMs };
  const hubs = createProjectHubs({ ...deps, ...limits, clock, logger });
  startPeriodicJob({
    name: 'log heads',
    intervalMs: headsEveryMs,
    lifetime,
    logger,
    runOnce: () => hubs.compareHeads(),
  });
  broadcasts.filter('project.events.v1', hubs.isFollowed);
  broadcasts.on(['project.event-appended.v1'], ({ body }) => {
    const { project_id, log_epoch: logEpoch, position, event, appended_at } = body;
    const appendedAtMs = appended_at === undefined ? null : fromIsoTime(appended_at);
    hubs.appendEvent(project_id, { logEpoch, position, event, appendedAtMs });
  });
  return hubs;
}
