import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import { startAssemblies } from '../../src/operations/run-assemblies.ts';
import { createBlockStore } from '../../src/storage/block-store.ts';
import { createChunkStore } from '../../src/storage/chunk-store.ts';
import { createDecidedScanStore } from '../../src/storage/decided-scan-store.ts';
import { createObservationStore } from '../../src/storage/observation-store.ts';
import { createScanQueue } from '../../src/storage/scan-queue.ts';
import { createScanStore } from '../../src/storage/scan-store.ts';
import { createScopeStore } from '../../src/storage/scope-store.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** The assemblies of a service, on its stores, that read no staged page before they are let. */
export function startHeldAssemblies({ collections, config }: StoreUnderTest) {
  const [reading, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const chunks = createChunkStore(collections.chunks);
  const stopping = new AbortController();
  const assemblies = startAssemblies({
    assembly: {
      scans: createScanStore(collections.scans),
      queue: createScanQueue(collections.scans),
      scopes: createScopeStore(collections.scopes),
      chunks: {
        async read(places) {
          reading.resolve();
          await released.promise;
          return chunks.read(places);
        },
      },
      blocks: createBlockStore(collections),
      observations: createObservationStore(collections.observations),
      sendOutcome: async () => {},
      clock: systemClock,
      identifiers: systemIdentifiers,
      logger: testLogger,
      settings: {
        ...config.assembly,
        blockAssets: 2_000,
        pageChunksMax: 64,
        retention: { ...config.retention, erasedKeptMs: 0 },
      },
    },
    dropping: { chunks, decidedScans: createDecidedScanStore(collections.scans) },
    smallScansMax: config.assembly.smallScansMax,
    stopping: stopping.signal,
  });
  return {
    wake: assemblies.wake,
    /** A scan is being assembled. */
    reading: reading.promise,
    /** The service begins to stop, then a page arrives; resolves when nothing runs any more. */
    async stop() {
      stopping.abort();
      const stopped = assemblies.stop();
      released.resolve();
      await stopped;
    },
  };
}
