import { monotonicNow } from '@inventory/runtime/clock';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { GatewayConfig } from '../config.ts';
import { createStreamPlaceStore } from './stream-place-store.ts';
import { createStreamPlaces, type StreamPlaces } from './stream-places.ts';
import { createStreamReplicaStore } from './stream-replica-store.ts';

const renewEveryMs = 2_000;
const leaseMs = 20_000;

/** The places of this replica's streams; registers the replica and renews it. */
export async function openStreamPlaces(
  { config, lifetime, clock, identifiers, logger }: ServiceContext<GatewayConfig>,
  db: Db,
): Promise<StreamPlaces> {
  const { perProjectMax, totalMax, lifeMaxMs } = config.streams;
  const places = createStreamPlaces({
    places: createStreamPlaceStore(db, { clock, lifeMaxMs }),
    replicas: createStreamReplicaStore(db),
    limits: { perProjectMax, totalMax, acquireMs: config.deadlines.storeMs },
    leaseMs,
    identifiers,
    clock: { now: monotonicNow },
    onReleased: () => removals.wake(),
  });
  await places.renew();
  lifetime.defer('stream places', () => places.close());
  const often = { intervalMs: renewEveryMs, firstDelayMs: renewEveryMs, lifetime, logger };
  startPeriodicJob({ ...often, name: 'stream places', runOnce: () => places.renew() });
  const removals = startPeriodicJob({
    ...often,
    name: 'released stream places',
    runOnce: () => places.flushReleased(),
  });
  return places;
}
