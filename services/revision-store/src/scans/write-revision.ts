import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { invariant } from '@inventory/runtime/bug';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { freeBytes } from '@inventory/runtime/free-bytes';
import type { PackedBytes } from '@inventory/runtime/packed-bytes';
import {
  type BlockPlan,
  blockCount,
  changeTextsFrom,
  planBlock,
  planDescriptions,
  planRows,
  planTexts,
  type TextPlan,
} from '../domain/block-plan.ts';
import { cutByBytes, joinedBytes, partEnd } from '../domain/joined-texts.ts';
import { assetIdentity } from '../domain/page-survey.ts';
import type { CompletedScan } from '../domain/scan.ts';
import { type ScanComparison, writesNothing } from '../domain/scan-comparison.ts';
import type { Survey } from '../domain/survey.ts';
import { readAssetRows } from '../reads/read-blocks.ts';
import type { BlockStore } from '../storage/block-store.ts';
import type { BlockPosition } from '../storage/collections.ts';
import { collectTexts, type WantedTexts } from './collect-texts.ts';
import type { StagedPages } from './staged-pages.ts';

export interface AssembledScan {
  readonly scan: CompletedScan;
  readonly staged: StagedPages;
  readonly survey: Survey;
  readonly verdict: ScanComparison;
  /** For each block of the change set that ends at the revision: the descriptions that it needs. */
  readonly described: readonly Uint32Array[];
}

/**
 * Blocks whose texts are read together, as long as they are no larger than this. Each group
 * costs its own pages, and at worst, where assets moved or texts changed during the scan, one
 * reading of all pages. One group is written while the next is read.
 */
const groupBlocks = 4;
const groupBytesMax = 8 * 1024 * 1024;
/** As many as there are threads to pack with. */
const packedAtOnce = 4;
/** Texts of one document together; one alone may be as large as a staged page. */
const partBytesMax = 4 * 1024 * 1024;

/** The last of the blocks and texts may still be on their way. */
export interface WrittenRevision {
  readonly written: Promise<void>;
}

/** Writes the blocks and texts that a verdict requires; nothing refers to them yet. Null when a page is gone. */
export async function writeRevision(
  blocks: BlockStore,
  assembled: AssembledScan,
  signal: AbortSignal,
): Promise<WrittenRevision | null> {
  if (writesNothing(assembled.verdict)) return { written: Promise.resolve() };
  const writer = openWriter(blocks, assembled.staged, signal);
  for await (const group of groupsOf(blocks, assembled)) {
    if (!(await writer.write(group))) return null;
  }
  return { written: writer.written() };
}

async function* groupsOf(
  blocks: BlockStore,
  assembled: AssembledScan,
): AsyncGenerator<readonly PartToWrite[]> {
  const { observation, writesTexts } = assembled.verdict;
  const { totalCount, blockAssets } = observation.revision;
  const count = blockCount(totalCount, blockAssets);
  let group: PartToWrite[] = [];
  for (let index = 0; index < count; index += 1) {
    for (const part of await planParts(blocks, assembled, index)) {
      if (isFull(group, part)) {
        yield group;
        group = [];
      }
      group.push(part);
    }
    if ((index + 1) % groupBlocks > 0) continue;
    yield group;
    group = [];
  }
  for (const part of writesTexts ? changeTextParts(assembled) : []) {
    if (isFull(group, part)) {
      yield group;
      group = [];
    }
    group.push(part);
  }
  if (group.length > 0) yield group;
}

function isFull(group: readonly PartToWrite[], { bytes }: PartToWrite): boolean {
  return group.length > 0 && bytesOf(group) + bytes > groupBytesMax;
}

/**
 * The descriptions that the last step's changes need, again and by themselves: a page of changes reads
 * few texts, wherever in the revision their assets lie.
 */
function* changeTextParts({
  scan,
  survey,
  verdict,
  described,
}: AssembledScan): Generator<PartToWrite> {
  const { texts, language } = verdict.observation;
  const textSetId = texts[language]?.textSetId;
  if (textSetId === undefined) return;
  const position = { scope: inventoryKeyText(scan.scope), set: textSetId };
  for (const [block, numbers] of described.entries()) {
    if (numbers.length === 0) continue;
    const index = changeTextsFrom + block;
    yield* partsOf('descriptions', { ...position, index }, planDescriptions(survey, numbers));
  }
}

/** One document on its way: a part of the assets of a block, or of their descriptions. */
interface PartToWrite {
  readonly of: WantedTexts['of'];
  readonly position: BlockPosition;
  /** The plan of the block when this is a part of its assets, and they are new. */
  readonly plan: BlockPlan | null;
  readonly texts: TextPlan;
  readonly starts: readonly number[];
  readonly part: number;
  readonly bytes: number;
}

const bytesOf = (parts: readonly PartToWrite[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** A block that is stored already is described in its own numbering, not in this scan's. */
async function planParts(
  blocks: BlockStore,
  { scan, survey, verdict }: AssembledScan,
  index: number,
): Promise<PartToWrite[]> {
  const { revision, texts, language } = verdict.observation;
  const { revisionId, blockAssets } = revision;
  const scope = inventoryKeyText(scan.scope);
  const textSet = texts[language];
  invariant(textSet !== undefined, 'an observation has the texts of its own scan');
  const plan = verdict.writesAssets ? planBlock(survey, index, blockAssets) : null;
  const parts: PartToWrite[] = [];
  if (plan) {
    parts.push(...partsOf('assets', { scope, set: revisionId, index }, plan.assets, plan));
  }
  if (verdict.writesRows && textSet.rowSetId !== null) {
    const identities = await readIdentities(blocks, revisionId, index);
    const position = { scope, set: textSet.rowSetId, index };
    parts.push(...partsOf('assets', position, planRows(survey, identities)));
  }
  if (verdict.writesTexts) {
    const keys = plan?.descriptionKeys ?? (await blocks.readDescriptionKeys(revisionId, index));
    invariant(keys !== undefined, 'a block of the head is missing');
    const position = { scope, set: textSet.textSetId, index };
    const texts = planTexts(survey, index, blockAssets, keys);
    parts.push(...partsOf('descriptions', position, texts));
  }
  return parts;
}

/** The assets of a block of the head, in its order. */
async function readIdentities(blocks: BlockStore, set: string, index: number): Promise<string[]> {
  const rows = await readAssetRows(blocks, set, index);
  invariant(rows !== null, 'a block of the head is missing');
  return rows.map(assetIdentity);
}

function partsOf(
  of: PartToWrite['of'],
  position: BlockPosition,
  texts: TextPlan,
  plan: BlockPlan | null = null,
): PartToWrite[] {
  const starts = cutByBytes(texts.lengths, partBytesMax);
  return starts.map((from, part) => {
    const lengths = texts.lengths.subarray(from, partEnd(starts, part, texts.lengths.length));
    const bytes = lengths.reduce((sum, length) => sum + length, 0);
    return { of, position, plan, texts, starts, part, bytes };
  });
}

interface GroupWriter {
  /** Reads a group and begins to write it once the one before is written. False when a page is gone. */
  write(group: readonly PartToWrite[]): Promise<boolean>;
  written(): Promise<void>;
}

function openWriter(blocks: BlockStore, staged: StagedPages, signal: AbortSignal): GroupWriter {
  let writing: Promise<void> = Promise.resolve();
  return {
    async write(group) {
      const wanted = group.map((part) => ({ part, of: part.of, texts: textsOf(part) }));
      const joined = await collectTexts(staged, wanted, signal);
      await writing;
      if (joined === null) return false;
      writing = forEachLimited(wanted.entries(), packedAtOnce, async ([at, { part, texts }]) => {
        const bytes = joined[at] ?? Buffer.alloc(0);
        invariant(areWhole(bytes, texts.lengths), 'the texts of a block are whole');
        await writePart(blocks, part, bytes);
        if (Buffer.isBuffer(bytes)) freeBytes(bytes);
      });
      // Awaited with the next group, unless reading it fails.
      writing.catch(() => {});
      return true;
    },
    written: () => writing,
  };
}

/** Bytes that were freed too early are empty: nothing that is not whole is ever written. */
function areWhole(bytes: Buffer | PackedBytes, lengths: Uint32Array): boolean {
  const rawBytes = Buffer.isBuffer(bytes) ? bytes.length : bytes.rawBytes;
  const joined = lengths.reduce((sum, length) => sum + joinedBytes(length), 0);
  return rawBytes === Math.max(0, joined - 1);
}

function textsOf({ texts, starts, part }: PartToWrite): TextPlan {
  const [from, to] = [starts[part], partEnd(starts, part, texts.sources.length)];
  return { sources: texts.sources.slice(from, to), lengths: texts.lengths.subarray(from, to) };
}

/** The first part of a block has the outline of all. */
async function writePart(
  blocks: BlockStore,
  { position, plan, texts, starts, part }: PartToWrite,
  bytes: Buffer | PackedBytes,
): Promise<void> {
  if (part > 0) return blocks.writePart(position, part, bytes);
  const outlined = { lengths: texts.lengths, starts, first: bytes };
  if (!plan) return blocks.writeTexts(position, outlined);
  const block = {
    assets: outlined,
    descriptionOf: plan.descriptionOf,
    descriptionNumbers: Uint32Array.from(plan.descriptionNumbers),
  };
  return blocks.writeAssets(position, block, plan.descriptionKeys);
}
