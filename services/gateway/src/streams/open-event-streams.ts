import type { ProjectId } from '@inventory/contracts/ids';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { createKeyedSemaphore, createSemaphore } from '@inventory/runtime/semaphore';
import { pause } from '@inventory/runtime/wait';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { countStreamClosed, observeStreams } from '../metrics.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { createEventStreams } from './event-streams.ts';
import { listEventsRoute } from './list-events-route.ts';
import { sealPosition } from './position-cursor.ts';
import { createProjectHubs } from './project-hubs.ts';
import type { StoredPrincipal } from './stream-authorization.domain.ts';
import { streamEventsRoute } from './stream-events-route.ts';
import { watchStreamPrincipals } from './watch-stream-principals.ts';

export interface EventStreamsDeps {
  readonly broadcasts: Broadcasts;
  readonly log: EventStreamClient;
  readonly cursors: CursorSealer;
  readonly findBySecretDigest: (secretDigest: string) => Promise<StoredPrincipal | null>;
}

const secondMs = 1_000;
const ringLimits = { entriesMax: 1_000, bytesMax: 1024 * 1024 };
const ringsBytesMax = 128 * 1024 * 1024;
const hubIdleMs = 180_000;
const headsEveryMs = 5_000;
const replaysAtOnce = 32;
const replayBackoff = { firstMs: 200, maxMs: 5_000 } as const;
/** About 30 s of attempts. */
const replayFailuresMax = 10;

export interface OpenEventStreams {
  readonly routes: readonly BoundPublicRoute[];
  /** Closes every stream with a control frame; no new one opens. */
  drain(): Promise<void>;
}

/** The event streams of this replica and the state they share. */
export function openEventStreams(
  { config, lifetime, clock, logger }: ServiceContext<GatewayConfig>,
  { broadcasts, log, cursors, findBySecretDigest }: EventStreamsDeps,
): OpenEventStreams {
  const seal = (projectId: ProjectId, place: Parameters<typeof sealPosition>[2]) =>
    sealPosition(cursors, projectId, place);
  const hubs = createProjectHubs({
    log,
    sealPosition: seal,
    limits: ringLimits,
    logger,
    clock,
    bytesMax: ringsBytesMax,
    idleMs: hubIdleMs,
  });
  const streams = createEventStreams({
    clock,
    limits: config.streams,
    onClosed: countStreamClosed,
  });
  const quota = createKeyedSemaphore<ProjectId>(config.streams.quota);
  const { authorityEveryMs: everyMs } = config.streams;
  const find = findBySecretDigest;
  const principal = watchStreamPrincipals({
    streams,
    findBySecretDigest: find,
    clock,
    everyMs,
    logger,
  });
  const jobs = { lifetime, logger };
  const checks = startPeriodicJob({
    ...jobs,
    name: 'stream principal',
    intervalMs: secondMs,
    runOnce: () => principal.checkDue(),
  });
  startPeriodicJob({
    ...jobs,
    name: 'log heads',
    intervalMs: headsEveryMs,
    runOnce: () => hubs.compareHeads(),
  });
  startPeriodicJob({
    ...jobs,
    name: 'stream heartbeats',
    intervalMs: secondMs,
    runOnce: async () => streams.sendHeartbeats(),
  });
  lifetime.defer('metrics of streams', observeStreams(streams, hubs));
  broadcasts.on(['project.event-appended.v1'], ({ body }) => {
    const { project_id, log_epoch: logEpoch, position, event } = body;
    hubs.appendEvent(project_id, { logEpoch, position, event });
  });
  broadcasts.on(['authority.changed.v1'], ({ body }) => {
    principal.scheduleChecks(body.account_id);
    checks.wake();
  });
  const shared = {
    hubs,
    streams,
    quota,
    streamsPerProjectMax: config.streams.quota.perKeyMax,
    log,
    cursors,
    sealPosition: seal,
    replays: createSemaphore(replaysAtOnce),
    async pauseAfterFailure(failures: number): Promise<boolean> {
      if (failures >= replayFailuresMax || lifetime.signal.aborted) return false;
      await pause(jitteredDelayMs(replayBackoff, failures), lifetime.signal);
      return true;
    },
    clock,
    logger,
  };
  return {
    routes: [streamEventsRoute.bind(shared), listEventsRoute.bind(shared)],
    drain: () => streams.drain(),
  };
}
