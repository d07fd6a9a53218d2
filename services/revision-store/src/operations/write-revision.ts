import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { invariant } from '@inventory/runtime/bug';
import { type BlockPlan, blockCount, planBlock, planTexts } from '../domain/block-plan.ts';
import { type JoinedTexts, joinTexts } from '../domain/joined-texts.ts';
import type { CompletedScan, ManifestPage } from '../domain/scan.ts';
import type { ScanComparison } from '../domain/scan-comparison.ts';
import type { RowSource, Survey } from '../domain/survey.ts';
import type { AssetBlock, BlockStore } from '../storage/block-store.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { gatherTexts } from './gather-texts.ts';
import { PagesInvalid } from './read-staged-page.ts';

export interface WriteRevisionDeps {
  readonly chunks: Pick<ChunkStore, 'readChunks'>;
  readonly blocks: Pick<BlockStore, 'writeAssets' | 'writeTexts' | 'readDescriptionKeys'>;
}

export interface AssembledScan {
  readonly scan: CompletedScan;
  readonly pages: readonly ManifestPage[];
  readonly survey: Survey;
  readonly verdict: ScanComparison;
}

/**
 * Blocks whose texts are gathered together. Each group costs its own pages, and at worst, where
 * assets moved or texts changed during the scan, one reading of all pages.
 */
const groupBlocks = 4;
/** Below the 16 MB of a document even when nothing can be compressed. */
const blockBytesMax = 14 * 1024 * 1024;

/**
 * Writes the blocks and texts that a verdict requires; nothing refers to them yet. False when a
 * page is gone; {@link PagesInvalid} when a block would be too large to keep.
 */
export async function writeRevision(
  deps: WriteRevisionDeps,
  assembled: AssembledScan,
  signal: AbortSignal,
): Promise<boolean> {
  const { writesAssets, writesTexts, observation } = assembled.verdict;
  if (!writesAssets && !writesTexts) return true;
  const { totalCount, blockAssets } = observation.revision;
  const blocks = blockCount(totalCount, blockAssets);
  for (let first = 0; first < blocks; first += groupBlocks) {
    const group: BlockToWrite[] = [];
    for (let index = first; index < Math.min(first + groupBlocks, blocks); index += 1) {
      group.push(await planOne(deps, assembled, index));
    }
    if (!(await writeGroup(deps, assembled, group, signal))) return false;
  }
  return true;
}

/** One block on its way: its plan when its assets are new, and where its descriptions lie. */
interface BlockToWrite {
  readonly index: number;
  readonly plan: BlockPlan | null;
  readonly textSources: readonly RowSource[];
}

interface JoinedBlock {
  readonly index: number;
  readonly plan: BlockPlan | null;
  readonly assets: JoinedTexts;
  readonly texts: JoinedTexts;
}

/** A block that is stored already is described in its own numbering, not in this scan's. */
async function planOne(
  { blocks }: WriteRevisionDeps,
  { survey, verdict }: AssembledScan,
  index: number,
): Promise<BlockToWrite> {
  const { revisionId, blockAssets } = verdict.observation.revision;
  const plan = verdict.writesAssets ? planBlock(survey, index, blockAssets) : null;
  const keys = plan?.descriptionKeys ?? (await blocks.readDescriptionKeys(revisionId, index));
  invariant(keys !== undefined, 'a block of the head is missing');
  const wanted = verdict.writesTexts ? keys : [];
  const { sources } = planTexts(survey, index, blockAssets, wanted);
  return { index, plan, textSources: sources };
}

async function writeGroup(
  { chunks, blocks }: WriteRevisionDeps,
  { scan, pages, verdict }: AssembledScan,
  group: readonly BlockToWrite[],
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = {
    assets: group.flatMap(({ plan }) => plan?.assetSources ?? []),
    descriptions: group.flatMap(({ textSources }) => textSources),
  };
  const texts = await gatherTexts({ chunks, scanId: scan.scanId, pages }, wanted, signal);
  if (texts === null) return false;

  // Joined before anything is written: what is too large is found while nothing is under way.
  const joined = group.map(({ index, plan, textSources }) => ({
    index,
    plan,
    assets: join(plan?.assetSources ?? [], texts.assets),
    texts: join(textSources, texts.descriptions),
  }));
  await Promise.all(
    joined.map((block) => writeBlock(blocks, inventoryKeyText(scan.scope), verdict, block)),
  );
  return true;
}

async function writeBlock(
  blocks: WriteRevisionDeps['blocks'],
  scope: string,
  { observation, writesTexts }: ScanComparison,
  { index, plan, assets, texts }: JoinedBlock,
): Promise<void> {
  const { revision, language } = observation;
  const textSet = observation.texts[language];
  invariant(textSet !== undefined, 'an observation has the texts of its own scan');
  const assetPlace = { scope, set: revision.revisionId, index };
  const textPlace = { scope, set: textSet.textSetId, index };
  await Promise.all([
    plan && blocks.writeAssets(assetPlace, toAssetBlock(plan, assets), plan.descriptionKeys),
    writesTexts && blocks.writeTexts(textPlace, texts),
  ]);
}

function toAssetBlock(plan: BlockPlan, assets: JoinedTexts): AssetBlock {
  return {
    assets,
    descriptionOf: Uint16Array.from(plan.descriptionOf),
    descriptionNumbers: Uint32Array.from(plan.descriptionNumbers),
  };
}

function join(sources: readonly RowSource[], texts: ReadonlyMap<RowSource, Buffer>): JoinedTexts {
  const joined = joinTexts(sources.map((source) => texts.get(source)));
  if (joined.bytes.length > blockBytesMax) throw new PagesInvalid('a block is too large to keep');
  return joined;
}
