import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { GatewayConfig } from '../config.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import { countStreamClosed, observeStreams } from '../metrics.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import { work } from '../work.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { createEventStreams, type EventStreams } from './event-streams.ts';
import { openProjectHubs } from './open-project-hubs.ts';
import type { PositionCursors } from './position-cursor.ts';
import { createReplayLimits } from './replay-limits.ts';
import { watchSilentPeers } from './silent-peers.ts';
import { startStreamChecks } from './start-stream-checks.ts';
import type { StoredPrincipal } from './stream-authorization.domain.ts';
import { streamEventsRoute } from './stream-events-route.ts';
import { createSeatStore } from './stream-seat-store.ts';
import { createStreamSeats, type StreamSeats } from './stream-seats.ts';

export interface EventStreamsDeps {
  readonly db: Db;
  readonly broadcasts: Broadcasts;
  readonly log: EventStreamClient;
  readonly positions: PositionCursors;
  readonly findBySecretDigest: (secretDigest: string) => Promise<StoredPrincipal | null>;
}

interface OpenEventStreams {
  readonly route: BoundPublicRoute;
  /** Closes every stream with a control frame; no new one opens. */
  drain(): Promise<void>;
}

/** The event streams of this replica and the state they share. */
export async function openEventStreams(
  context: ServiceContext<GatewayConfig>,
  { db, broadcasts, log, positions, findBySecretDigest }: EventStreamsDeps,
): Promise<OpenEventStreams> {
  const { config, lifetime, clock, logger } = context;
  const sealPosition = positions.seal;
  const hubs = openProjectHubs(context, broadcasts, { log, sealPosition });
  const limits = config.streams;
  const silentPeers = watchSilentPeers({ isNeeded: () => streams.size > 0, lifetime, logger });
  const onClosed = countStreamClosed;
  const streams: EventStreams = createEventStreams({ clock, limits, silentPeers, onClosed });
  const onOpened = startStreamChecks(context, broadcasts, { streams, findBySecretDigest });
  lifetime.defer('metrics of streams', observeStreams(streams, hubs));
  const shared = {
    hubs,
    streams,
    onOpened,
    seats: await openStreamSeats(context, db),
    perProjectMax: limits.perProjectMax,
    log,
    cursors: positions,
    sealPosition,
    ...createReplayLimits(lifetime.signal),
    clock,
    logger,
  };
  return {
    route: streamEventsRoute.bind(shared),
    drain: () => streams.drain(),
  };
}

const seatsEveryMs = 2_000;

/** The seats of this replica's streams, whose lease it holds until it stops. */
async function openStreamSeats(
  { config, lifetime, identifiers, logger }: ServiceContext<GatewayConfig>,
  db: Db,
): Promise<StreamSeats> {
  const { perProjectMax, totalMax } = config.streams;
  const seats = createStreamSeats({
    store: createSeatStore(db, work.seats.leaseMs),
    ...{ perProjectMax, totalMax, identifiers },
    acquireMs: config.deadlines.storeMs,
    onReleased: () => removals.wake(),
  });
  await seats.renew();
  lifetime.defer('stream seats', () => seats.close());
  const often = { intervalMs: seatsEveryMs, firstDelayMs: seatsEveryMs, lifetime, logger };
  startPeriodicJob({ ...often, name: work.seats.name, runOnce: () => seats.renew() });
  const removals = startPeriodicJob({
    ...often,
    name: 'released stream seats',
    runOnce: () => seats.flushReleased(),
  });
  return seats;
}
