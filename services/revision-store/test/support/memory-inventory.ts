import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import { invariant } from '@inventory/runtime/bug';
import type { TextPart } from '../../src/domain/joined-texts.ts';
import type { Observation } from '../../src/domain/observation.ts';
import type { InventoryReading } from '../../src/reads/open-reading.ts';
import type { AssetBlock, BlockTexts, PageBlocks } from '../../src/storage/block-store.ts';
import type { AssembledInventory } from './assembled-inventory.ts';

export interface MemoryInventory {
  readonly observation: Observation;
  readonly blocks: PageBlocks;
  /** Blocks of assets that were read, in their order. */
  readonly read: number[];
}

const ids = {
  revisionId: 'invrev_01900000-0000-7000-8000-000000000001' as RevisionId,
  observationId: 'invobs_01900000-0000-7000-8000-000000000002' as ObservationId,
};

/** An assembled inventory as it is stored and read, in memory. */
export function memoryInventory(
  { blocks, totalCount, totalAmount }: AssembledInventory,
  blockAssets: number,
): MemoryInventory {
  const { revisionId, observationId } = ids;
  const read: number[] = [];
  const textSet = { textSetId: 'texts', digest: '', rowSetId: null, rowsDigest: '' };
  const partsOf = (set: string, index: number) => {
    const block = blocks[index];
    invariant(block !== undefined, 'only blocks that there are are read');
    return set === 'texts' ? block.texts : block.assets;
  };
  return {
    read,
    observation: {
      observationId,
      revision: {
        revisionId,
        ownershipDigest: '',
        totalCount,
        totalAmount: String(totalAmount),
        descriptionCount: null,
        blockAssets,
        chain: null,
        joins: [],
      },
      source: 'refresh',
      sequence: 1,
      scannedUntilMs: 1,
      language: 'english',
      scanWindow: { startedAtMs: 0, completedAtMs: 1 },
      reportedTotalCount: totalCount,
      texts: { english: textSet },
    },
    blocks: {
      async readAssets(set, index): Promise<AssetBlock> {
        read.push(index);
        const block = blocks[index];
        invariant(block !== undefined, 'only blocks that there are are read');
        const { descriptionOf, descriptionNumbers } = block;
        return { assets: textsOf(partsOf(set, index)), descriptionOf, descriptionNumbers };
      },
      readTexts: async (set, index) => textsOf(partsOf(set, index)),
      readPart: async (set, index, part) => partsOf(set, index)[part]?.joined.bytes,
      readPacked: async () => undefined,
      keepPacked: async () => undefined,
      readDescriptionKeys: async () => undefined,
    },
  };
}

function textsOf(parts: readonly TextPart[]): BlockTexts {
  return {
    lengths: Uint32Array.from(parts.flatMap(({ joined }) => [...joined.lengths])),
    starts: parts.map(({ from }) => from),
    first: parts[0]?.joined.bytes ?? Buffer.alloc(0),
  };
}

/** What a test does not give, it does not read with. */
export function readingWith(
  given: {
    readonly [Part in keyof InventoryReading]?: Partial<InventoryReading[Part]>;
  },
): InventoryReading {
  return given as InventoryReading;
}
