import type { Language } from '@inventory/contracts/languages';
import type { StagedAsset } from '@inventory/contracts/staged-rows';
import type { Descriptions } from '@inventory/contracts/vocabulary';
import { invariant } from '@inventory/runtime/bug';
import { asRaw, type PackedBytes } from '@inventory/runtime/packed-bytes';
import { keepTexts, partEnd, type TextPart } from '../domain/joined-texts.ts';
import { type Observation, textsFor } from '../domain/observation.ts';
import {
  type BlockRange,
  neededLocals,
  type OutlinedRange,
  type PagePart,
} from '../domain/page-body.ts';
import type { AssetBlock, BlockReading, BlockTexts, RowSets } from '../storage/block-store.ts';

/** A block is gone: its inventory was erased, or it has expired meanwhile. */
export class BlocksGone extends Error {
  override name = 'BlocksGone';
}

/** The sets that hold the blocks of a page. */
export interface PageSets extends RowSets {
  /** Null where the page has no descriptions. */
  readonly textSetId: string | null;
}

export function setsOf(
  observation: Observation,
  wanted: Language,
  descriptions: Descriptions,
): { readonly language: Language; readonly sets: PageSets } {
  const { language, textSet } = textsFor(observation, wanted);
  invariant(textSet !== undefined, 'an observation has the texts of its own scan');
  const { textSetId, rowSetId } = textSet;
  const { revisionId } = observation.revision;
  const sets = { revisionId, rowSetId, textSetId: descriptions === 'page' ? textSetId : null };
  return { language, sets };
}

/** A run of a block's assets, with the first parts of the block. */
export interface StoredRange<First> {
  readonly range: BlockRange;
  readonly block: AssetBlock<First>;
  readonly rows: StoredTexts<First>;
  readonly texts: StoredTexts<First>;
}

interface StoredTexts<First> {
  readonly set: string;
  readonly index: number;
  readonly texts: BlockTexts<First>;
}

export async function readOutline<First>(
  blocks: BlockReading<First>,
  { revisionId, rowSetId, textSetId }: PageSets,
  range: BlockRange,
): Promise<StoredRange<First | Buffer> | null> {
  const { index } = range;
  const [block, own, texts] = await Promise.all([
    blocks.readAssets(revisionId, index),
    rowSetId === null ? undefined : blocks.readTexts(rowSetId, index),
    textSetId === null ? noTexts : blocks.readTexts(textSetId, index),
  ]);
  const rows = rowSetId === null ? block?.assets : own;
  if (!block || !rows || !texts) return null;
  return {
    range,
    block,
    rows: { set: rowSetId ?? revisionId, index, texts: rows },
    texts: { set: textSetId ?? '', index, texts },
  };
}

/** As if every description were missing. */
const noTexts: BlockTexts = { lengths: new Uint32Array(), starts: [0], first: Buffer.alloc(0) };

export function toOutline({ range, block, rows, texts }: StoredRange<unknown>): OutlinedRange {
  const { assets: _assets, ...join } = block;
  return {
    range,
    outline: { ...join, assetLengths: rows.texts.lengths, textLengths: texts.texts.lengths },
  };
}

export async function readContent(
  blocks: BlockReading<Buffer | PackedBytes>,
  { range, block, rows, texts }: StoredRange<Buffer | PackedBytes>,
): Promise<PagePart | null> {
  const { from, to } = range;
  const needed = neededLocals(range, block);
  const assets = await readParts(blocks, rows, (row) => row >= from && row < to);
  const descriptions = assets && (await readParts(blocks, texts, (row) => needed.has(row)));
  return descriptions && { range, content: { ...block, assets, texts: descriptions } };
}

/** The parts of a block that hold wanted texts, one after another; null when one is gone. */
async function readParts(
  blocks: BlockReading<Buffer | PackedBytes>,
  { set, index, texts }: StoredTexts<Buffer | PackedBytes>,
  wanted: (row: number) => boolean,
): Promise<TextPart[] | null> {
  const parts: TextPart[] = [];
  for (const [part, from] of texts.starts.entries()) {
    const lengths = texts.lengths.subarray(from, partEnd(texts.starts, part, texts.lengths.length));
    if (part === 0) {
      parts.push({ from, joined: { bytes: asRaw(texts.first), lengths } });
    } else if (lengths.some((_, row) => wanted(from + row))) {
      const bytes = await blocks.readPart(set, index, part);
      if (!bytes) return null;
      parts.push({ from, joined: keepTexts({ bytes, lengths }, (row) => wanted(from + row)) });
    }
  }
  return parts;
}

export function allPresent<Item>(items: readonly (Item | null)[]): items is readonly Item[] {
  return items.every((item) => item !== null);
}

/** The parsed assets of a block of a revision, in its order; null when it is gone. */
export async function readAssetRows(
  blocks: BlockReading,
  set: string,
  index: number,
): Promise<StagedAsset[] | null> {
  const block = await blocks.readAssets(set, index);
  if (block === undefined) return null;
  const { starts, first } = block.assets;
  const rows: StagedAsset[][] = [];
  for (const part of starts.keys()) {
    const bytes = part === 0 ? first : await blocks.readPart(set, index, part);
    if (bytes === undefined) return null;
    rows.push(JSON.parse(`[${bytes}]`) as StagedAsset[]);
  }
  return rows.flat();
}
