import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import { packedPageBeginning } from '@inventory/contracts/internal/inventory';
import type { Language } from '@inventory/contracts/languages';
import type { ContentCoding, Descriptions } from '@inventory/contracts/vocabulary';
import { type PackedBeginning, packBeginning } from '@inventory/http/packed-body';
import type { Observation } from '../domain/observation.ts';
import {
  type BlockRange,
  fittingRanges,
  nextPosition,
  type PageBounds,
  type PagePart,
  pageBody,
  rangesOfPage,
  wholeBlock,
} from '../domain/page-body.ts';
import type { InventoryReading } from './open-reading.ts';
import { allPresent, readContent, readOutline, setsOf, toOutline } from './read-blocks.ts';
import { type NoPage, readObserved } from './read-observed.ts';

export interface CurrentPageRequest {
  readonly scopeKey: string;
  readonly language: Language;
  readonly pageSize: number;
  readonly position: number;
  readonly descriptions: Descriptions;
  /** Which the client of the reader accepts; null for none. */
  readonly coding: ContentCoding | null;
  /** What the first page of a chain selected. */
  readonly pinned: {
    readonly revisionId: RevisionId;
    readonly observationId: ObservationId;
  } | null;
}

/** What is said of a page in its response, beside the texts themselves. */
export interface PageHead {
  readonly observation: Observation;
  /** The language of the descriptions given. */
  readonly language: Language;
  readonly nextPosition: number | null;
  readonly packed: PackedBeginning | null;
}

interface FoundPage extends PageHead {
  readonly result: 'page';
  /** The text of the members `assets` and `descriptions`, in pieces; or packed, in one. */
  readonly body: readonly Buffer[];
}

export type CurrentRead = FoundPage | NoPage;

/** Largest text of a page, unless one asset alone is larger: what is in memory at once is bounded. */
export const pageBytesMax = 16 * 1024 * 1024;

/** Of a packed page that is kept. */
const packedBytesMax = 4 * 1024 * 1024;

/** Of a page that its reader unpacks in less time than it takes to receive it as it is. */
const unpackedByReader = { coding: 'zstd', assetsMin: 200 } as const;

/** One page of the head, or of what a chain is pinned to. */
export async function readCurrent(
  reading: InventoryReading,
  request: CurrentPageRequest,
): Promise<CurrentRead> {
  return await readObserved(reading, request, async (observation) => {
    const { totalCount } = observation.revision;
    if (request.position > 0 && request.position >= totalCount) return { result: 'beyond_end' };
    return await readPackedPage(reading, request, observation);
  });
}

/**
 * A page that is a whole block leaves packed: at its first reading and kept, well packed because it is
 * paid once. For a client that accepts no coding its reader unpacks it, unless it is small. Other
 * pages are slices, left to their reader.
 */
async function readPackedPage(
  reading: InventoryReading,
  request: CurrentPageRequest,
  observation: Observation,
): Promise<CurrentRead | null> {
  const { scopeKey: scope } = request;
  const paging = { ...request, ...observation.revision };
  const block = wholeBlock(paging);
  const { language, sets } = setsOf(observation, request.language, request.descriptions);
  const { textSetId } = sets;
  const coding = request.coding ?? codingFor(block);
  if (coding === null || block === null || textSetId === null) {
    return await readPage(reading, request, observation);
  }
  const position = { ...sets, textSetId, index: block.index, coding };
  const next = nextPosition(paging, [block]);
  const found = { result: 'page', observation, language, nextPosition: next } as const;
  const kept = await reading.blocks.readPacked(position);
  if (kept !== undefined) return { ...found, body: [kept.bytes], packed: kept };
  const page = await readPage(reading, request, observation);
  // One that would be too large ends before its block does.
  if (page?.result !== 'page' || page.nextPosition !== next) return page;
  const raw = Buffer.concat([Buffer.from(packedPageBeginning), ...page.body]);
  const packed = await packBeginning(coding, raw);
  if (packed.bytes.length > packedBytesMax) return page;
  await reading.blocks.keepPacked(scope, position, packed).catch((error: unknown) => {
    reading.logger.warn({ err: error }, 'packed page not kept');
  });
  return { ...found, body: [packed.bytes], packed };
}

function codingFor(block: BlockRange | null): ContentCoding | null {
  const assets = block === null ? 0 : block.to - block.from;
  return assets < unpackedByReader.assetsMin ? null : unpackedByReader.coding;
}

async function readPage(
  { blocks }: InventoryReading,
  { position, pageSize, language: wanted, descriptions }: CurrentPageRequest,
  observation: Observation,
): Promise<CurrentRead | null> {
  const { totalCount, blockAssets } = observation.revision;
  const request: PageBounds = { position, pageSize, totalCount, blockAssets };
  const { language, sets } = setsOf(observation, wanted, descriptions);
  const outlined = await Promise.all(
    rangesOfPage(request).map((range) => readOutline(blocks, sets, range)),
  );
  if (!allPresent(outlined)) return null;
  const ranges = fittingRanges(outlined.map(toOutline), pageBytesMax);
  const parts: (PagePart | null)[] = [];
  for (const [at, range] of ranges.entries()) {
    const stored = outlined[at];
    parts.push(stored ? await readContent(blocks, { ...stored, range }) : null);
  }
  if (!allPresent(parts)) return null;
  return {
    result: 'page',
    observation,
    language,
    nextPosition: nextPosition(request, ranges),
    body: pageBody(parts),
    packed: null,
  };
}
