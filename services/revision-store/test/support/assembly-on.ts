import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import type { AssembleScanDeps } from '../../src/scans/assemble-scan.ts';
import { createKnownContents } from '../../src/scans/known-contents.ts';
import { createBlockStore } from '../../src/storage/block-store.ts';
import { createChangeStore } from '../../src/storage/change-store.ts';
import { type ChunkStore, createChunkStore } from '../../src/storage/chunk-store.ts';
import { createObservationStore } from '../../src/storage/observation-store.ts';
import { createScanStore } from '../../src/storage/scan-store.ts';
import { createScopeStore } from '../../src/storage/scope-store.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export interface AssemblyOptions {
  /** Called before the texts of staged pages are read. */
  readonly onRead: (places: Parameters<ChunkStore['readChunks']>[0]) => Promise<void> | void;
  readonly blockAssets?: number;
}

/** What a service assembles with, on its stores; each reading of a staged page is seen. */
export function assemblyOn(
  { collections, config }: StoreUnderTest,
  { onRead, blockAssets = 2_000 }: AssemblyOptions,
): AssembleScanDeps {
  const chunks = createChunkStore(collections.chunks);
  return {
    scans: createScanStore(collections.scans),
    scopes: createScopeStore(collections.scopes, config.assembly.leaseMs, testLogger),
    chunks: {
      readSurveys: chunks.readSurveys,
      dropChunks: chunks.dropChunks,
      isReadSince: chunks.isReadSince,
      async readSurveyed(scanId, page) {
        await onRead([{ ...page, scanId, chunk: 0 }]);
        return chunks.readSurveyed(scanId, page);
      },
      async readChunks(places) {
        await onRead(places);
        return chunks.readChunks(places);
      },
    },
    blocks: createBlockStore(collections),
    changes: createChangeStore(collections, testLogger),
    observations: createObservationStore(collections.observations, testLogger),
    contents: createKnownContents(),
    sendOutcome: async () => {},
    clock: systemClock,
    identifiers: systemIdentifiers,
    logger: testLogger,
    settings: {
      ...config.assembly,
      blockAssets,
      pageChunksMax: 64,
      retention: { ...config.retention, erasedKeptMs: 86_400_000 },
    },
  };
}
