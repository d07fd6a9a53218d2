import { openLifetime } from '@inventory/runtime/lifetime';
import { testLogger } from '@inventory/testkit/namespace';
import { startAssemblies } from '../../src/scans/start-assemblies.ts';
import { assemblyOn } from './assembly-on.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Ends a stop that hangs. */
const stopDeadlineMs = 300_000;

/** The assemblies of a service, on its stores, that read no staged page before they are let. */
export function startHeldAssemblies(store: StoreUnderTest) {
  const [reading, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lifetime = openLifetime(testLogger, stopDeadlineMs);
  const assembly = assemblyOn(store, {
    onRead() {
      reading.resolve();
      return released.promise;
    },
  });
  const assemblies = startAssemblies(assembly, { ...assembly, lifetime });
  return {
    wake: assemblies.wake,
    /** A scan is being assembled. */
    reading: reading.promise,
    /** The service begins to stop, then a page arrives; resolves when nothing runs any more. */
    async stop() {
      const stopped = lifetime.close();
      released.resolve();
      await stopped;
    },
  };
}
