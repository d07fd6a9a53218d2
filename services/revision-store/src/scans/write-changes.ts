import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { asRaw } from '@inventory/runtime/packed-bytes';
import { composeChanges, findSets } from '../changes/compose-changes.ts';
import { collectHeadRows, differFromHead, keysIn } from '../changes/differ-from-head.ts';
import type { TextPlan } from '../domain/block-plan.ts';
import { type ChainPosition, type ChangeSet, mergesAt } from '../domain/change-chain.ts';
import { type Differences, differenceKey, orderByKey } from '../domain/differences.ts';
import type { JoinedTexts } from '../domain/joined-texts.ts';
import type { Observation } from '../domain/observation.ts';
import type { CompletedScan } from '../domain/scan.ts';
import type { ScanComparison } from '../domain/scan-comparison.ts';
import { missingSource, type Survey } from '../domain/survey.ts';
import type { BlockStore } from '../storage/block-store.ts';
import { type ChangeSetWriter, isBlockFull, openSetWriter } from './change-set-writer.ts';
import { collectTexts } from './collect-texts.ts';
import type { Scanning } from './open-scanning.ts';
import { runYielding } from './run-yielding.ts';
import type { StagedPages } from './staged-pages.ts';

interface ComparedScan<Head = Observation | null> {
  readonly scan: CompletedScan;
  readonly staged: StagedPages;
  readonly survey: Survey;
  readonly verdict: ScanComparison;
  /** What the scan was compared with. */
  readonly head: Head;
}

/** The change sets of a new revision; nothing refers to them yet. */
export interface WrittenChanges {
  /** Those that end at it. */
  readonly joins: readonly ChangeSet[];
  /** From a revision that never becomes the head to the head. */
  readonly aside: ChangeSet | null;
  /** The descriptions that the rows after need, by their numbers; for each block of the first of `joins`. */
  readonly described: readonly Uint32Array[];
}

/** Rows that are read together: each group reads the pages and the head's blocks at worst once. */
const groupBytesMax = 8 * 1024 * 1024;

/**
 * Writes what a changed scan changed of the head, and what is merged from it, under ids of this try
 * alone: they are referred to by the write that moves the head. Null when a page is gone.
 */
export async function writeChanges(
  scanning: Scanning,
  compared: ComparedScan,
  signal: AbortSignal,
): Promise<WrittenChanges | null> {
  const { verdict, head, survey, scan } = compared;
  const at = head?.revision.chain;
  if (!verdict.changed || !head || !at) {
    return { joins: [], aside: null, described: [] };
  }
  const keyOf = keysIn(scan.scope);
  const { revisionId: headId } = head.revision;
  const differences = await differFromHead(scanning.blocks, head, survey, keyOf, signal);
  const position = { scope: inventoryKeyText(scan.scope), set: scanning.identifiers.uuidV7() };
  const writer = openSetWriter(scanning.changes, position);
  const described: Uint32Array[] = [];
  const order = await runYielding(orderByKey(differences), signal);
  for (const group of groupsOf(differences, order, survey)) {
    const rows = await collectRows(
      scanning.blocks,
      { ...compared, head },
      differences,
      group,
      signal,
    );
    if (rows === null) return null;
    await writeGroup(writer, rows, verdict.becomes);
    described.push(...group.map((block) => neededBy(block, differences, survey)));
  }
  freeColumns(differences);
  const written = await writer.end();
  const own = verdict.observation.revision.revisionId;
  if (verdict.becomes === 'superseded') {
    const aside = { from: own, to: headId, fromOrdinal: null, toOrdinal: at.ordinal };
    return { joins: [], aside: { ...written, ...aside }, described: [] };
  }
  const step = { from: headId, to: own, fromOrdinal: at.ordinal, toOrdinal: at.ordinal + 1 };
  const { joins: before } = head.revision;
  const merging = { scope: position.scope, at, before, step: { ...written, ...step }, keyOf };
  return { joins: await mergeSets(scanning, merging, signal), aside: null, described };
}

/**
 * The set of one step, and merged ones of whatever length is complete with it, so that few sets lead
 * from any revision to any other. Where a part has expired nothing leads through it: it is not merged.
 */
async function mergeSets(
  { changes, identifiers }: Scanning,
  {
    scope,
    at,
    before,
    step,
    keyOf,
  }: {
    readonly scope: string;
    readonly at: ChainPosition;
    /** The sets that end at the head. */
    readonly before: readonly ChangeSet[];
    readonly step: ChangeSet;
    readonly keyOf: (identity: string) => string;
  },
  signal: AbortSignal,
): Promise<ChangeSet[]> {
  const joins = [step];
  let newest = step;
  for (const parts of mergesAt(step.toOrdinal)) {
    const older = await findSets(changes, at.root, parts.slice(0, -1), before);
    const [first] = older ?? [];
    if (!older || !first) break;
    const writer = openSetWriter(changes, { scope, set: identifiers.uuidV7() });
    const sets = [...older, newest];
    for await (const change of composeChanges(changes, { scope, sets, keyOf }, '')) {
      signal.throwIfAborted();
      await writer.add(change);
    }
    const { from, fromOrdinal } = first;
    newest = { ...newest, ...(await writer.end()), from, fromOrdinal };
    joins.push(newest);
  }
  return joins;
}

/** What is written after the differences needs as much memory. */
function freeColumns({ keys, inHead, headBytes, inScan }: Differences): void {
  for (const column of [keys.bytes, keys.ends, inHead, headBytes, inScan]) freeBytes(column);
}

/** Consecutive differences in blocks, and blocks in groups. */
function* groupsOf(
  { inScan, headBytes }: Differences,
  order: Uint32Array,
  survey: Survey,
): Generator<Uint32Array[]> {
  let group: Uint32Array[] = [];
  let groupBytes = 0;
  let [from, bytes] = [0, 0];
  for (const [at, number] of order.entries()) {
    const size = (headBytes[number] ?? 0) + bytesIn(survey, inScan[number]);
    if (isBlockFull(at - from, bytes, size)) {
      group.push(order.subarray(from, at));
      groupBytes += bytes;
      [from, bytes] = [at, 0];
    }
    if (groupBytes > groupBytesMax) {
      yield group;
      [group, groupBytes] = [[], 0];
    }
    bytes += size;
  }
  if (from < order.length) yield [...group, order.subarray(from)];
}

function bytesIn({ assets }: Survey, inScan = -1): number {
  return assets.bytes[inScan] ?? 0;
}

/** The descriptions that the rows of a scan need, each once, in order of first need. */
function neededBy(block: Uint32Array, { inScan }: Differences, { assets }: Survey): Uint32Array {
  const positions = block.filter((number) => (inScan[number] ?? -1) >= 0);
  return new Uint32Array(
    new Set(positions.map((number) => assets.descriptionOf[inScan[number] ?? -1] ?? 0)),
  );
}

/** The rows of one block of changes, in the head and in the scan. */
interface BlockRows {
  readonly inHead: JoinedTexts;
  readonly inScan: JoinedTexts;
  readonly lastKey: string;
}

async function collectRows(
  blocks: BlockStore,
  { staged, survey, head }: ComparedScan<Observation>,
  differences: Differences,
  group: readonly Uint32Array[],
  signal: AbortSignal,
): Promise<BlockRows[] | null> {
  const { inScan } = differences;
  const plans = group.map((block): TextPlan => {
    const positions = Int32Array.from(block, (number) => inScan[number] ?? -1);
    return {
      sources: positions.map((position) => survey.assets.sources[position] ?? missingSource),
      lengths: Uint32Array.from(positions, (position) => bytesIn(survey, position)),
    };
  });
  const wanted = plans.map((texts) => ({ of: 'assets', texts }) as const);
  const scanRows = await collectTexts(staged, wanted, signal);
  if (scanRows === null) return null;
  const headRows = await collectHeadRows(blocks, head, differences, group);
  return group.map((block, at) => ({
    inHead: headRows[at] ?? noTexts,
    inScan: {
      bytes: asRaw(scanRows[at] ?? noTexts.bytes),
      lengths: plans[at]?.lengths ?? noTexts.lengths,
    },
    lastKey: differenceKey(differences, block.at(-1) ?? 0),
  }));
}

const noTexts: JoinedTexts = { bytes: Buffer.alloc(0), lengths: new Uint32Array() };

/** A revision that never becomes the head is the one before. */
async function writeGroup(
  writer: ChangeSetWriter,
  rows: readonly BlockRows[],
  becomes: ScanComparison['becomes'],
): Promise<void> {
  for (const { inHead, inScan, lastKey } of rows) {
    const [before, after] = becomes === 'superseded' ? [inScan, inHead] : [inHead, inScan];
    await writer.write(before, after, lastKey);
    freeBytes(inHead.bytes);
    freeBytes(inScan.bytes);
  }
}
