import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { GatewayConfig } from '../config.ts';
import type { BoundPublicRoute } from '../http/public-route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { countStreamClosed, observeStreams } from '../metrics.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import { createEventStreams } from './event-streams.ts';
import { listEventsRoute } from './list-events-route.ts';
import { openProjectHubs } from './open-project-hubs.ts';
import { openStreamPlaces } from './open-stream-places.ts';
import { createPositionCursors } from './position-cursor.ts';
import { createReplayLimits } from './replay-limits.ts';
import { startStreamChecks } from './start-stream-checks.ts';
import type { StoredPrincipal } from './stream-authorization.domain.ts';
import { streamEventsRoute } from './stream-events-route.ts';

export interface EventStreamsDeps {
  readonly db: Db;
  readonly broadcasts: Broadcasts;
  readonly log: EventStreamClient;
  readonly cursors: CursorSealer;
  readonly findBySecretDigest: (secretDigest: string) => Promise<StoredPrincipal | null>;
}

interface OpenEventStreams {
  readonly routes: readonly BoundPublicRoute[];
  /** Closes every stream with a control frame; no new one opens. */
  drain(): Promise<void>;
}

/** The event streams of this replica and the state they share. */
export async function openEventStreams(
  context: ServiceContext<GatewayConfig>,
  { db, broadcasts, log, cursors, findBySecretDigest }: EventStreamsDeps,
): Promise<OpenEventStreams> {
  const { config, lifetime, clock, logger } = context;
  const positions = createPositionCursors(config.cursorKeys, cursors);
  const sealPosition = positions.seal;
  const hubs = openProjectHubs(context, broadcasts, { log, sealPosition });
  const limits = config.streams;
  const streams = createEventStreams({ clock, limits, onClosed: countStreamClosed });
  startStreamChecks(context, broadcasts, { streams, findBySecretDigest });
  lifetime.defer('metrics of streams', observeStreams(streams, hubs));
  const shared = {
    hubs,
    streams,
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
    routes: [streamEventsRoute.bind(shared), listEventsRoute.bind(shared)],
    drain: () => streams.drain(),
  };
}
