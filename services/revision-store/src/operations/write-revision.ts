import { scopeKey } from '@inventory/contracts/scope';
import { invariant } from '@inventory/runtime/bug';
import { type BlockPlan, blockCount, planBlock, planTexts } from '../domain/block-plan.ts';
import { type JoinedTexts, joinTexts } from '../domain/joined-texts.ts';
import { textsFor } from '../domain/observation.ts';
import type { CompletedScan, ManifestPage } from '../domain/scan.ts';
import type { RowSource, Survey } from '../domain/survey.ts';
import { slotsByPage } from '../domain/text-slots.ts';
import type { Verdict } from '../domain/verdict.ts';
import type { BlockPlace, BlockStore } from '../storage/block-store.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { PagesInvalid } from './pages-invalid.ts';
import { readStagedPage } from './read-staged-page.ts';

export interface RevisionWriting {
  readonly chunks: Pick<ChunkStore, 'read'>;
  readonly blocks: Pick<BlockStore, 'writeAssets' | 'writeTexts' | 'readDescriptionKeys'>;
}

export interface AssembledScan {
  readonly scan: CompletedScan;
  readonly pages: readonly ManifestPage[];
  readonly survey: Survey;
  readonly verdict: Verdict;
}

/**
 * Blocks whose texts are fetched together. A block's texts may lie on any page, so each group costs
 * at worst one reading of all pages; in an inventory that stood still it costs its own pages.
 */
const groupBlocks = 4;
/** Below the 16 MB of a document even when nothing can be compressed. */
const blockBytesMax = 14 * 1024 * 1024;

/** Writes the blocks and texts that a verdict asks for; nothing refers to them yet. */
export async function writeRevision(
  writing: RevisionWriting,
  assembled: AssembledScan,
  signal: AbortSignal,
): Promise<void> {
  const { writesAssets, writesTexts, observation } = assembled.verdict;
  if (!writesAssets && !writesTexts) return;
  const { totalCount, blockAssets } = observation.revision;
  const blocks = blockCount(totalCount, blockAssets);
  for (let first = 0; first < blocks; first += groupBlocks) {
    await writeGroup(writing, assembled, first, Math.min(first + groupBlocks, blocks), signal);
  }
}

/** One block on its way: its plan when its assets are new, and where its descriptions lie. */
interface BlockToWrite {
  readonly index: number;
  readonly plan: BlockPlan | null;
  readonly textSources: readonly RowSource[];
}

async function writeGroup(
  writing: RevisionWriting,
  assembled: AssembledScan,
  first: number,
  end: number,
  signal: AbortSignal,
): Promise<void> {
  const group: BlockToWrite[] = [];
  for (let index = first; index < end; index += 1) {
    group.push(await planOne(writing, assembled, index));
  }
  const assetTexts: string[] = [];
  const descriptionTexts: string[] = [];
  const assetSlots = slotsByPage(group.flatMap(({ plan }) => plan?.assetSources ?? []));
  const descriptionSlots = slotsByPage(group.flatMap(({ textSources }) => textSources));
  const pages = [...new Set([...assetSlots.keys(), ...descriptionSlots.keys()])];
  for (const number of pages.sort((left, right) => left - right)) {
    signal.throwIfAborted();
    const page = await readPage(writing, assembled, number);
    for (const { row, slot } of assetSlots.get(number) ?? []) {
      assetTexts[slot] = JSON.stringify(page.assets[row]);
    }
    for (const { row, slot } of descriptionSlots.get(number) ?? []) {
      descriptionTexts[slot] = JSON.stringify(page.descriptions[row]);
    }
  }
  await writeBlocks(writing, assembled, group, { assetTexts, descriptionTexts });
}

/** A block that is stored already is described in its own numbering, not in this scan's. */
async function planOne(
  { blocks }: RevisionWriting,
  { survey, verdict }: AssembledScan,
  index: number,
): Promise<BlockToWrite> {
  const { revisionId, blockAssets } = verdict.observation.revision;
  const plan = verdict.writesAssets ? planBlock(survey, index, blockAssets) : null;
  const keys = plan?.descriptionKeys ?? (await blocks.readDescriptionKeys(revisionId, index));
  invariant(keys !== undefined, 'a block of the head is missing');
  const { sources } = planTexts(survey, index, verdict.writesTexts ? keys : []);
  return { index, plan, textSources: sources };
}

async function readPage(
  { chunks }: RevisionWriting,
  { scan, pages }: AssembledScan,
  number: number,
): Promise<{ assets: readonly unknown[]; descriptions: readonly unknown[] }> {
  const manifestPage = pages[number];
  const staged = manifestPage && (await readStagedPage(chunks, scan.scanId, manifestPage));
  invariant(staged?.found === 'text', 'a page that was surveyed is gone');
  return JSON.parse(staged.text);
}

async function writeBlocks(
  { blocks }: RevisionWriting,
  { scan, verdict }: AssembledScan,
  group: readonly BlockToWrite[],
  texts: { readonly assetTexts: string[]; readonly descriptionTexts: string[] },
): Promise<void> {
  const scope = scopeKey(scan.scope);
  const { revision } = verdict.observation;
  const { textSet } = textsFor(verdict.observation, scan.language);
  invariant(textSet !== undefined, 'an observation has the texts of its own scan');
  const writes: Promise<void>[] = [];
  let assetSlot = 0;
  let textSlot = 0;
  for (const { index, plan, textSources } of group) {
    if (plan) {
      const end = assetSlot + plan.assetSources.length;
      const block = toAssetBlock(plan, texts.assetTexts.slice(assetSlot, end));
      const place: BlockPlace = { scope, set: revision.revisionId, index };
      writes.push(blocks.writeAssets(place, block, plan.descriptionKeys));
      assetSlot = end;
    }
    if (verdict.writesTexts) {
      const end = textSlot + textSources.length;
      const wanted = Array.from(
        textSources,
        (_, local) => texts.descriptionTexts[textSlot + local],
      );
      const place: BlockPlace = { scope, set: textSet.textSetId, index };
      writes.push(blocks.writeTexts(place, bounded(joinTexts(wanted))));
      textSlot = end;
    }
  }
  await Promise.all(writes);
}

function toAssetBlock(plan: BlockPlan, texts: readonly string[]) {
  return {
    assets: bounded(joinTexts(texts)),
    descriptionOf: Uint16Array.from(plan.descriptionOf),
    descriptionNumbers: Uint32Array.from(plan.descriptionNumbers),
  };
}

function bounded(joined: JoinedTexts): JoinedTexts {
  if (joined.bytes.length > blockBytesMax) throw new PagesInvalid('a block is too large to keep');
  return joined;
}
