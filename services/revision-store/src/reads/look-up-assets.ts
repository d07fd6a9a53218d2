import type { Language } from '@inventory/contracts/languages';
import type { StagedAsset } from '@inventory/contracts/staged-rows';
import type { Descriptions } from '@inventory/contracts/vocabulary';
import { invariant } from '@inventory/runtime/bug';
import { joinedBytes, keepTexts, sliceParts, type TextPart } from '../domain/joined-texts.ts';
import type { Observation, Revision } from '../domain/observation.ts';
import { type BlockRange, neededLocals, type PagePart, pageBody } from '../domain/page-body.ts';
import type { BlockReading } from '../storage/block-store.ts';
import { assetHash } from './asset-index.ts';
import type { InventoryReading } from './open-reading.ts';
import {
  type PageSets,
  readContent,
  readOutline,
  type StoredRange,
  setsOf,
} from './read-blocks.ts';
import { pageBytesMax } from './read-current-page.ts';

export interface AssetLookup {
  readonly scopeKey: string;
  readonly language: Language;
  readonly descriptions: Descriptions;
  readonly assetIds: readonly string[];
}

export type LookedUpAssets =
  | {
      readonly result: 'page';
      readonly observation: Observation;
      readonly language: Language;
      /** As of a page of Current. */
      readonly body: readonly Buffer[];
      /** In the order of asking. */
      readonly notInRevision: readonly string[];
    }
  | { readonly result: 'no_revision' }
  /** Together they are larger than a page. */
  | { readonly result: 'too_large' };

/** Blocks can vanish between the head and them once: by an erasure. */
const readsMax = 2;

/**
 * Assets of the head by their ids, in the order requested, with their descriptions: one page. An id
 * that is requested twice is returned once; a currency row and an asset may have one id.
 */
export async function lookUpAssets(
  reading: InventoryReading,
  lookup: AssetLookup,
): Promise<LookedUpAssets> {
  for (let reads = 1; reads <= readsMax; reads += 1) {
    const observation = await reading.scopes.readHead(lookup.scopeKey);
    if (observation === null) return { result: 'no_revision' };
    const found = await lookUpIn(reading, lookup, observation);
    if (found !== null) return found;
  }
  invariant(false, 'the head lacks blocks');
}

async function lookUpIn(
  { blocks, assetIndexes }: InventoryReading,
  { scopeKey, language: wanted, descriptions, assetIds: requested }: AssetLookup,
  observation: Observation,
): Promise<LookedUpAssets | null> {
  const { revision } = observation;
  const assetIds = [...new Set(requested)];
  const hashes = await assetIndexes.hashesOf(scopeKey, revision);
  if (hashes === null) return null;
  const { language, sets } = setsOf(observation, wanted, descriptions);
  const rows = await readRows(blocks, sets, candidatesOf(hashes, revision, new Set(assetIds)));
  if (rows === null || rows === 'too_large') return rows && { result: 'too_large' };
  const byId = Map.groupBy(rows, ({ assetId }) => assetId);
  return {
    result: 'page',
    observation,
    language,
    body: pageBody(assetIds.flatMap((id) => byId.get(id) ?? []).map(({ part }) => part)),
    notInRevision: assetIds.filter((id) => !byId.has(id)),
  };
}

/** The rows that may have one of the ids, by their blocks. */
export function candidatesOf(
  hashes: Uint32Array,
  { blockAssets }: Revision,
  assetIds: ReadonlySet<string>,
): Map<number, number[]> {
  const wanted = new Set(Array.from(assetIds, assetHash));
  const rows = new Map<number, number[]>();
  for (let at = 0; at < hashes.length; at += 1) {
    if (!wanted.has(hashes[at] ?? -1)) continue;
    const block = Math.floor(at / blockAssets);
    const ofBlock = rows.get(block) ?? [];
    ofBlock.push(at - block * blockAssets);
    rows.set(block, ofBlock);
  }
  return rows;
}

interface FoundRow {
  readonly assetId: string;
  readonly part: PagePart;
}

/** Copies of the rows, block after block: what is in memory is a block and a page. */
async function readRows(
  blocks: BlockReading,
  sets: PageSets,
  candidates: ReadonlyMap<number, readonly number[]>,
): Promise<FoundRow[] | 'too_large' | null> {
  const found: FoundRow[] = [];
  const described = new Set<number>();
  let bytes = 0;
  for (const [index, rows] of candidates) {
    const outline = await readOutline(blocks, sets, { index, from: 0, to: 0 });
    if (outline === null) return null;
    for (const row of rows) {
      const size = sizeOf(outline, row, described);
      if (bytes > 0 && bytes + size > pageBytesMax) return 'too_large';
      bytes += size;
      const range = { index, from: row, to: row + 1 };
      const part = await readContent(blocks, { ...outline, range });
      if (part === null) return null;
      found.push(copyOf(part));
    }
  }
  return found;
}

/** What a row adds to a page, with its description unless that is on it. */
function sizeOf(
  { block, rows, texts }: StoredRange<unknown>,
  row: number,
  described: Set<number>,
): number {
  const local = block.descriptionOf[row] ?? 0;
  const number = block.descriptionNumbers[local] ?? -1;
  const textBytes = described.has(number) ? 0 : joinedBytes(texts.texts.lengths[local]);
  described.add(number);
  return joinedBytes(rows.texts.lengths[row]) + textBytes;
}

function copyOf({ range, content }: PagePart): FoundRow {
  const locals = neededLocals(range, content);
  const copied = {
    ...content,
    assets: copyParts(content.assets, (row) => isIn(range, row)),
    texts: copyParts(content.texts, (local) => locals.has(local)),
  };
  const text = Buffer.concat(sliceParts(copied.assets, range.from, range.to)).toString();
  const { assetid } = JSON.parse(text) as StagedAsset;
  return { assetId: assetid, part: { range, content: copied } };
}

const isIn = ({ from, to }: BlockRange, row: number): boolean => row >= from && row < to;

function copyParts(parts: readonly TextPart[], wanted: (row: number) => boolean): TextPart[] {
  return parts.map(({ from, joined }) => ({
    from,
    joined: keepTexts(joined, (row) => wanted(from + row)),
  }));
}
