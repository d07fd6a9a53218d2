import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { StagedAsset } from '@inventory/contracts/staged-rows';
import { invariant } from '@inventory/runtime/bug';
import { blockCount } from '../domain/block-plan.ts';
import { changeKey, type RowScope, rowIn } from '../domain/change.ts';
import {
  type JoinedTexts,
  offsetsIn,
  openTexts,
  partEnd,
  putText,
} from '../domain/joined-texts.ts';
import { numberOf, textAt } from '../domain/numbered-texts.ts';
import type { Revision } from '../domain/observation.ts';
import { assetIdentity, descriptionKey } from '../domain/page-survey.ts';
import type { Survey } from '../domain/survey.ts';
import type { BlockStore } from '../storage/block-store.ts';
import { sha256Text } from './sha256.ts';

type HeadBlocks = Pick<BlockStore, 'readAssets' | 'readPart'>;

/** One asset that a scan has otherwise than the head: where its row lies in each, -1 for none. */
export interface Difference {
  readonly key: string;
  /** Block and row of the head, as one number. */
  readonly inHead: number;
  readonly headBytes: number;
  /** Position in the survey. */
  readonly inScan: number;
}

const rowsPerBlockMax = 2 ** 16;
const stepsPerTurn = 5_000;

/** The order of changes; names an asset of this inventory. */
export function keysIn({ app_id, context_id }: InventoryKey): (identity: string) => string {
  const scope: RowScope = { appid: app_id, contextid: String(context_id) };
  return (identity) => changeKey(identity, scope, sha256Text);
}

/**
 * The assets in which a surveyed scan differs from the head, in the order of changes. The head is read
 * part by part; what is alike leaves nothing in memory.
 */
export async function differFromHead(
  blocks: HeadBlocks,
  head: Revision,
  survey: Survey,
  keyOf: (identity: string) => string,
  signal: AbortSignal,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const seen = new Uint8Array(survey.assetSources.length);
  const count = blockCount(head.totalCount, head.blockAssets);
  for (let index = 0; index < count; index += 1) {
    for await (const rows of readHeadRows(blocks, head.revisionId, index)) {
      for (const { row, bytes, start, size } of rows) {
        const asset = rowIn(bytes.subarray(start, start + size));
        const identity = assetIdentity(asset);
        const inScan = numberOf(survey.identities, identity);
        if (inScan >= 0) seen[inScan] = 1;
        if (inScan >= 0 && isOwnedAlike(asset, survey, inScan)) continue;
        const inHead = index * rowsPerBlockMax + row;
        differences.push({ key: keyOf(identity), inHead, headBytes: size, inScan });
      }
    }
    signal.throwIfAborted();
  }
  for (let inScan = 0; inScan < seen.length; inScan += 1) {
    if (seen[inScan] === 0) {
      const key = keyOf(textAt(survey.identities, inScan));
      differences.push({ key, inHead: -1, headBytes: 0, inScan });
    }
    if (inScan % stepsPerTurn === 0) await yieldToEventLoop();
  }
  return await sortByKey(differences, signal);
}

function isOwnedAlike(asset: StagedAsset, survey: Survey, position: number): boolean {
  const key = survey.descriptionKeys[survey.descriptionOf[position] ?? -1];
  return survey.amounts[position] === asset.amount && key === descriptionKey(asset);
}

/** Sorted in runs that are merged: no turn of the event loop sorts all. */
async function sortByKey(items: Difference[], signal: AbortSignal): Promise<Difference[]> {
  let runs: Difference[][] = [];
  for (let at = 0; at < items.length; at += stepsPerTurn) {
    const run = items.slice(at, at + stepsPerTurn);
    runs.push(run.sort((one, other) => (one.key < other.key ? -1 : 1)));
    await yieldToEventLoop();
  }
  while (runs.length > 1) {
    const merged: Difference[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergeRuns(runs[at] ?? [], runs[at + 1] ?? []));
      signal.throwIfAborted();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeRuns(left: Difference[], right: Difference[]): Promise<Difference[]> {
  const merged: Difference[] = [];
  let [fromLeft, fromRight] = [0, 0];
  while (fromLeft + fromRight < left.length + right.length) {
    const [one, other] = [left[fromLeft], right[fromRight]];
    const takesLeft = one !== undefined && (other === undefined || one.key < other.key);
    const next = takesLeft ? one : other;
    if (takesLeft) fromLeft += 1;
    else fromRight += 1;
    if (next) merged.push(next);
    if (merged.length % stepsPerTurn === 0) await yieldToEventLoop();
  }
  return merged;
}

/** The rows before of consecutive differences, joined; empty where the head has none. */
export async function gatherHeadRows(
  blocks: HeadBlocks,
  revisionId: string,
  groups: readonly (readonly Difference[])[],
): Promise<JoinedTexts[]> {
  const opened = groups.map((group) =>
    openTexts(Uint32Array.from(group, ({ headBytes }) => headBytes)),
  );
  const wanted = groups.flatMap((group, of) =>
    group.flatMap(({ inHead }, at) => (inHead < 0 ? [] : { of, at, inHead })),
  );
  const byBlock = Map.groupBy(wanted, ({ inHead }) => Math.floor(inHead / rowsPerBlockMax));
  for (const [index, places] of byBlock) {
    const byRow = new Map(places.map((place) => [place.inHead % rowsPerBlockMax, place]));
    for await (const rows of readHeadRows(blocks, revisionId, index, byRow)) {
      for (const { row, bytes, start } of rows) {
        const place = byRow.get(row);
        const texts = place && opened[place.of];
        if (texts) putText(texts, place.at, bytes, start);
      }
    }
  }
  return opened;
}

interface HeadRow {
  readonly row: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly size: number;
}

/** The rows of a block, or those wanted, part by part. */
async function* readHeadRows(
  blocks: HeadBlocks,
  set: string,
  index: number,
  wanted?: ReadonlyMap<number, unknown>,
): AsyncGenerator<HeadRow[]> {
  const block = await blocks.readAssets(set, index);
  invariant(block !== undefined, 'a block of the head is missing');
  const { starts, lengths, first } = block.assets;
  for (const [part, from] of starts.entries()) {
    const end = partEnd(starts, part, lengths.length);
    const isWanted = (row: number) => wanted === undefined || wanted.has(row);
    const rows = Array.from({ length: end - from }, (_, at) => from + at).filter(isWanted);
    if (rows.length === 0) continue;
    const bytes = part === 0 ? first : await blocks.readPart(set, index, part);
    invariant(bytes !== undefined, 'a part of the head is missing');
    const { offsets } = offsetsIn(lengths.subarray(from, end));
    yield rows.map((row) => {
      return { row, bytes, start: offsets[row - from] ?? 0, size: lengths[row] ?? 0 };
    });
  }
}
