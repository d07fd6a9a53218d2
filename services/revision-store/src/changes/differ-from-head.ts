import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { StagedAsset } from '@inventory/contracts/staged-rows';
import { invariant } from '@inventory/runtime/bug';
import { blockCount } from '../domain/block-plan.ts';
import { keyOfChange, type RowScope, rowIn } from '../domain/change.ts';
import { addDifference, type Differences, openDifferences } from '../domain/differences.ts';
import { type JoinedTexts, openTexts, putText } from '../domain/joined-texts.ts';
import type { Observation } from '../domain/observation.ts';
import { assetIdentity, descriptionKey } from '../domain/page-survey.ts';
import { amountAt, keyAt, type Survey, totalCount } from '../domain/survey.ts';
import { setsOf } from '../reads/read-blocks.ts';
import { readRows } from '../reads/read-rows.ts';
import type { BlockReading, RowSets } from '../storage/block-store.ts';

const rowsPerBlockMax = 2 ** 16;
const stepsPerTick = 5_000;

/** The order of changes; names an asset of this inventory. */
export function keysIn({ app_id, context_id }: InventoryKey): (identity: string) => string {
  const scope: RowScope = { appid: app_id, contextid: String(context_id) };
  return (identity) => keyOfChange(identity, scope);
}

/**
 * The assets in which a surveyed scan differs from the head. The head is read part by part; what is
 * alike leaves nothing in memory.
 */
export async function differFromHead(
  blocks: BlockReading,
  head: Observation,
  survey: Survey,
  keyOf: (identity: string) => string,
  signal: AbortSignal,
): Promise<Differences> {
  const differences = openDifferences();
  const seen = new Uint8Array(totalCount(survey));
  const { totalCount: assets, blockAssets } = head.revision;
  const count = blockCount(assets, blockAssets);
  for (let index = 0; index < count; index += 1) {
    for await (const rows of readRows(blocks, rowsSeenBy(head), index)) {
      for (const { row, bytes, start, size } of rows) {
        const asset = rowIn(bytes.subarray(start, start + size));
        const identity = assetIdentity(asset);
        const inScan = survey.positions.get(identity) ?? -1;
        if (inScan >= 0) seen[inScan] = 1;
        if (inScan >= 0 && isOwnedAlike(asset, survey, inScan)) continue;
        const inHead = index * rowsPerBlockMax + row;
        addDifference(differences, { key: keyOf(identity), inHead, headBytes: size, inScan });
      }
    }
    signal.throwIfAborted();
  }
  for (let inScan = 0; inScan < seen.length; inScan += 1) {
    if (seen[inScan] === 0) {
      const key = keyOf(survey.identities[inScan] ?? '');
      addDifference(differences, { key, inHead: -1, headBytes: 0, inScan });
    }
    if (inScan % stepsPerTick === 0) await yieldToEventLoop();
  }
  return differences;
}

function isOwnedAlike(asset: StagedAsset, survey: Survey, position: number): boolean {
  return (
    amountAt(survey, position) === asset.amount && keyAt(survey, position) === descriptionKey(asset)
  );
}

/** The head as it was observed last: its rows are those that its own scan saw. */
function rowsSeenBy(head: Observation): RowSets {
  return setsOf(head, head.language, 'none').sets;
}

/** The rows before of groups of differences, joined; empty where the head has none. */
export async function collectHeadRows(
  blocks: BlockReading,
  head: Observation,
  differences: Differences,
  groups: readonly Uint32Array[],
): Promise<JoinedTexts[]> {
  const opened = groups.map((group) =>
    openTexts(group.map((number) => differences.headBytes[number] ?? 0)),
  );
  const wanted = groups.flatMap((group, of) =>
    Array.from(group, (number, at) => ({ of, at, inHead: differences.inHead[number] ?? -1 })),
  );
  const present = wanted.filter(({ inHead }) => inHead >= 0);
  const byBlock = Map.groupBy(present, ({ inHead }) => Math.floor(inHead / rowsPerBlockMax));
  for (const [index, positions] of byBlock) {
    const byRow = new Map(
      positions.map((position) => [position.inHead % rowsPerBlockMax, position]),
    );
    for await (const rows of readRows(blocks, rowsSeenBy(head), index, byRow)) {
      for (const { row, bytes, start } of rows) {
        const position = byRow.get(row);
        const texts = position && opened[position.of];
        if (texts)
          invariant(putText(texts, position.at, bytes, start), 'a text of the head is whole');
      }
    }
  }
  return opened;
}
