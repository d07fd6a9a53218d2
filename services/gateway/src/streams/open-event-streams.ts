import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { GatewayConfig } from '../config.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import { countStreamClosed, observeStreams } from '../metrics.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { createEventStreams, type EventStreams } from './event-streams.ts';
import { openProjectHubs } from './open-project-hubs.ts';
import { openStreamPlaces } from './open-stream-places.ts';
import type { PositionCursors } from './position-cursor.ts';
import { createReplayLimits } from './replay-limits.ts';
import { watchSilentPeers } from './silent-peers.ts';
import { startStreamChecks } from './start-stream-checks.ts';
import type { StoredPrincipal } from './stream-authorization.domain.ts';
import { streamEventsRoute } from './stream-events-route.ts';

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
    places: await openStreamPlaces(context, db),
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
