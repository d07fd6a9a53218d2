import { startAssemblies } from '../../src/operations/run-assemblies.ts';
import { createChunkStore } from '../../src/storage/chunk-store.ts';
import { createDecidedScanStore } from '../../src/storage/decided-scan-store.ts';
import { assemblyOn } from './assembly-on.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** The assemblies of a service, on its stores, that read no staged page before they are let. */
export function startHeldAssemblies(store: StoreUnderTest) {
  const [reading, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { collections, config } = store;
  const stopping = new AbortController();
  const assemblies = startAssemblies({
    assembly: assemblyOn(store, {
      onRead() {
        reading.resolve();
        return released.promise;
      },
    }),
    dropping: {
      chunks: createChunkStore(collections.chunks),
      decidedScans: createDecidedScanStore(collections.scans),
    },
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
