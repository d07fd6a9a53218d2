import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { openScanning, type Scanning } from '../../src/scans/open-scanning.ts';
import type { ChunkStore } from '../../src/storage/chunk-store.ts';
import { openRevisionStores } from '../../src/storage/open-stores.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export interface AssemblyOptions {
  /** Called before the texts of staged pages are read. */
  readonly onRead?: (positions: Parameters<ChunkStore['readChunks']>[0]) => Promise<void> | void;
  readonly blockAssets?: number;
}

/** What a service assembles with, on its stores; each reading of a staged page is seen. */
export function assemblyOn(
  { db, config }: StoreUnderTest,
  { onRead = () => {}, blockAssets = 2_000 }: AssemblyOptions = {},
): Scanning {
  const stores = openRevisionStores(db, config.assembly.leaseMs, testLogger);
  const process = { clock: systemClock, identifiers: systemIdentifiers, logger: testLogger };
  const scanning = openScanning(only({ ...process, config }), stores, async () => {});
  const { chunks, settings } = scanning;
  return {
    ...scanning,
    chunks: {
      ...chunks,
      async readSingleChunk(scanId, page) {
        await onRead([{ ...page, scanId, chunk: 0 }]);
        return chunks.readSingleChunk(scanId, page);
      },
      async readChunks(positions) {
        await onRead(positions);
        return chunks.readChunks(positions);
      },
    },
    settings: { ...settings, blockAssets, pageChunksMax: 64 },
  };
}
