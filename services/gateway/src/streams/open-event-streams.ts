import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { monotonicNow } from '@inventory/runtime/clock';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { createSemaphore } from '@inventory/runtime/semaphore';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { pause } from '@inventory/runtime/wait';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { Broadcasts } from '../commands/open-broadcasts.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { work } from '../work.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { createEventStreams } from './event-streams.ts';
import type { PositionCursors } from './position-cursor.ts';
import { createProjectHubs, type ProjectHubs } from './project-hubs.ts';
import type { SessionContext } from './session-context.ts';
import { watchSilentPeers } from './silent-peers.ts';
import type { StreamConfig } from './stream-config.ts';
import { countStreamClosed, observeStreams } from './stream-metrics.ts';
import type { StreamSession } from './stream-session.ts';
import { createSlotStore } from './stream-slot-store.ts';
import { createStreamSlots, type StreamSlots } from './stream-slots.ts';
import { watchStreamPrincipals } from './watch-stream-principals.ts';

type Context = ServiceContext<ServiceConfig & StreamConfig>;

interface StreamNeeds {
  readonly db: Db;
  readonly broadcasts: Broadcasts;
  readonly log: EventStreamClient;
  readonly positions: PositionCursors;
  readonly tenancy: Tenancy;
}

export type StreamServices = Awaited<ReturnType<typeof openEventStreams>>;

/** The event streams of this replica: hubs, which have the events, sessions, which send them, and slots. */
export async function openEventStreams(
  context: Context,
  { db, broadcasts, log, positions, tenancy }: StreamNeeds,
) {
  const { config, lifetime, clock, logger } = context;
  const { streams: limits } = config;
  const streams = createEventStreams();
  const session: SessionContext = {
    log,
    sealPosition: positions.seal,
    ...replayLimits(lifetime.signal),
    limits,
    silentPeers: watchSilentPeers({ isNeeded: () => streams.size > 0, lifetime, logger }),
    onClosed: countStreamClosed,
    logger,
    clock,
  };
  const hubs = openProjectHubs(context, broadcasts, session);
  startPeriodicJob({
    name: 'stream heartbeats',
    intervalMs: secondMs,
    lifetime,
    logger,
    runOnce: async () => streams.tick(),
  });
  const watch = startPrincipalChecks(context, broadcasts, tenancy);
  lifetime.defer('metrics of streams', observeStreams(streams, hubs));
  const slots = await openStreamSlots(context, db);
  return {
    hubs,
    streams,
    /** Checks the Principal of a stream until the returned function is called. */
    watch,
    slots,
    limits,
    /** Closes every stream with a control frame; no new one opens. */
    drain: () => streams.drain(limits.drainMs),
    cursors: positions,
    session,
    clock,
  };
}

const secondMs = 1_000;
const replaysAtOnce = 32;
const replayBackoff = { firstMs: 200, maxMs: 5_000 } as const;
/** About 30 s of attempts. */
const replayFailuresMax = 10;

/** Bounds the sessions' reads of the log, all together and after failures. */
function replayLimits(
  stopping: AbortSignal,
): Pick<SessionContext, 'replays' | 'pauseAfterFailure'> {
  return {
    replays: createSemaphore(replaysAtOnce),
    async pauseAfterFailure(failures) {
      if (failures >= replayFailuresMax || stopping.aborted) return false;
      await pause(jitteredDelayMs(replayBackoff, failures), stopping);
      return true;
    },
  };
}

const ringLimits = { entriesMax: 1_000, bytesMax: 1024 * 1024 };
const ringsBytesMax = 128 * 1024 * 1024;
const headsEveryMs = 5_000;
/** Three minutes. */
const hubIdleSweeps = 36;

/** Hubs get appended events by broadcast, and lost ones by comparing heads. */
function openProjectHubs(
  { lifetime, clock, logger }: Context,
  broadcasts: Broadcasts,
  { log, sealPosition }: SessionContext,
): ProjectHubs {
  const limits = { limits: ringLimits, bytesMax: ringsBytesMax, idleSweeps: hubIdleSweeps };
  const hubs = createProjectHubs({ log, sealPosition, ...limits, clock, logger });
  startPeriodicJob({
    name: 'log heads',
    intervalMs: headsEveryMs,
    lifetime,
    logger,
    runOnce: () => hubs.compareHeads(),
  });
  broadcasts.filter('project.events.v1', hubs.isFollowed);
  broadcasts.on(['project.event-appended.v1'], ({ body }) => hubs.appendEvent(body));
  return hubs;
}

/** Checks the Principal of each stream that the returned function is called with. */
function startPrincipalChecks(
  { config, lifetime, clock, logger }: Context,
  broadcasts: Broadcasts,
  { findBySecretDigest }: Tenancy,
): (session: StreamSession) => () => void {
  const { authorityEveryMs: everyMs } = config.streams;
  const onDue = () => checks.wake();
  const times = { clock, monotonicNow, everyMs };
  const principals = watchStreamPrincipals({ findBySecretDigest, ...times, onDue, logger });
  const checks = startPeriodicJob({
    name: 'stream principal',
    intervalMs: secondMs,
    lifetime,
    logger,
    // Not awaited: a slow read delays no other check.
    runOnce: async () => void principals.checkDue(),
  });
  broadcasts.on(['authority.changed.v1'], ({ body }) => principals.scheduleChecks(body.accountId));
  return principals.watch;
}

const slotsEveryMs = 2_000;

/** The slots of this replica's streams, whose lease it holds until it stops. */
async function openStreamSlots(
  { config, lifetime, identifiers, logger }: Context,
  db: Db,
): Promise<StreamSlots> {
  const store = createSlotStore(db, work.slots.leaseMs);
  const slotLimits = { ...config.streams, acquireMs: config.deadlines.storeMs };
  const slots = createStreamSlots(store, slotLimits, identifiers, () => removals.wake());
  await slots.renew();
  lifetime.defer('stream slots', () => slots.close());
  const often = { intervalMs: slotsEveryMs, firstDelayMs: slotsEveryMs, lifetime, logger };
  startPeriodicJob({ ...often, name: work.slots.name, runOnce: () => slots.renew() });
  const removals = startPeriodicJob({
    ...often,
    name: 'released stream slots',
    runOnce: () => slots.flushReleased(),
  });
  return slots;
}
