import { blockCount, changeTextsFrom } from '../domain/block-plan.ts';
import { type Change, changeBytes, neededKeys, rowsAfter } from '../domain/change.ts';
import { offsetsIn, partEnd } from '../domain/joined-texts.ts';
import type { Observation } from '../domain/observation.ts';
import type { InventoryReading } from '../reads/open-reading.ts';
import { BlocksGone } from '../reads/read-blocks.ts';
import type { BlockTexts } from '../storage/block-store.ts';

interface DescribedPage {
  readonly scope: string;
  readonly to: Observation;
  readonly textSetId: string;
  /** The key after which the page begins. */
  readonly afterKey: string;
}

/** Descriptions by their keys; empty for one that no page of the scan carried. */
type FoundTexts = Map<string, Buffer>;

/**
 * The descriptions of added and changed assets, and how many changes they are for: fewer than there are
 * where all together are larger than `bytesMax`, at least one.
 */
export async function describeChanges(
  reading: InventoryReading,
  page: DescribedPage,
  changes: readonly Change[],
  bytesMax: number,
): Promise<{ readonly texts: Buffer[]; readonly changes: number }> {
  const keys = changes.map(({ after }) => (after ? neededKeys([after])[0] : undefined));
  const needed = new Set(keys.filter((key) => key !== undefined));
  const lastKey = changes.at(-1)?.key ?? page.afterKey;
  const found: FoundTexts = new Map();
  const [first] = needed;
  if (first !== undefined) await findTexts(reading, { ...page, lastKey }, new Set([first]), found);
  await findTexts(reading, { ...page, lastKey }, needed, found, bytesMax);
  const given = new Set<string>();
  const texts: Buffer[] = [];
  let bytes = 0;
  for (const [at, change] of changes.entries()) {
    const key = keys[at];
    const text = key === undefined || given.has(key) ? noText : found.get(key);
    bytes += changeBytes(change) + (text?.length ?? 0);
    if (at > 0 && (text === undefined || bytes > bytesMax)) return { texts, changes: at };
    if (key === undefined || text === undefined) continue;
    given.add(key);
    if (text.length > 0) texts.push(text);
  }
  return { texts, changes: changes.length };
}

const noText = Buffer.alloc(0);

/**
 * Finds texts that are still missing: with the changes of the revision's last step, else in the blocks
 * of the revision, which are read up to the last one that is needed. None is added beyond `bytesMax`.
 */
async function findTexts(
  reading: InventoryReading,
  page: DescribedPage & { readonly lastKey: string },
  needed: ReadonlySet<string>,
  found: FoundTexts,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { revision } = page.to;
  const beyond = new Set<string>();
  let bytes = [...found.values()].reduce((sum, text) => sum + text.length, 0);
  const isMissing = (key: string) => needed.has(key) && !found.has(key) && !beyond.has(key);
  const add = (key: string, text: Buffer, start: number, length: number): void => {
    bytes += length;
    if (bytes > bytesMax) beyond.add(key);
    else found.set(key, Buffer.from(text.subarray(start, start + length)));
  };
  for await (const { keys, index } of stepTexts(reading, page)) {
    if (!keys.some(isMissing)) continue;
    const texts = await reading.blocks.readTexts(page.textSetId, index);
    if (texts) await pick(reading, { set: page.textSetId, index, texts, keys }, isMissing, add);
  }
  const count = blockCount(revision.totalCount, revision.blockAssets);
  for (let index = 0; index < count && [...needed].some(isMissing); index += 1) {
    const keys = await reading.blocks.readDescriptionKeys(revision.revisionId, index);
    if (!keys) throw new BlocksGone();
    if (!keys.some(isMissing)) continue;
    const texts = await reading.blocks.readTexts(page.textSetId, index);
    if (!texts) throw new BlocksGone();
    await pick(reading, { set: page.textSetId, index, texts, keys }, isMissing, add);
  }
}

/** Where the texts of the last step's changes are, of those blocks in which the page lies. */
async function* stepTexts(
  { changes }: InventoryReading,
  { scope, to, afterKey, lastKey }: DescribedPage & { readonly lastKey: string },
): AsyncGenerator<{ readonly keys: readonly string[]; readonly index: number }> {
  const [step] = to.revision.joins;
  if (!step) return;
  for (let key = afterKey; key < step.lastKey && key < lastKey; ) {
    const stored = await changes.readBlockAfter({ scope, set: step.setId }, key);
    if (!stored) throw new BlocksGone();
    const { block } = stored;
    yield { keys: neededKeys(rowsAfter(block)), index: changeTextsFrom + block.index };
    key = stored.lastKey;
  }
}

async function pick(
  { blocks }: InventoryReading,
  {
    set,
    index,
    texts,
    keys,
  }: {
    readonly set: string;
    readonly index: number;
    readonly texts: BlockTexts;
    readonly keys: readonly string[];
  },
  isMissing: (key: string) => boolean,
  add: (key: string, text: Buffer, start: number, length: number) => void,
): Promise<void> {
  const { starts, lengths, first } = texts;
  for (const [part, from] of starts.entries()) {
    const end = partEnd(starts, part, lengths.length);
    const rows = keys.slice(from, end);
    if (!rows.some(isMissing)) continue;
    const bytes = part === 0 ? first : await blocks.readPart(set, index, part);
    if (!bytes) throw new BlocksGone();
    const { offsets } = offsetsIn(lengths.subarray(from, end));
    for (const [row, key] of rows.entries()) {
      if (isMissing(key)) add(key, bytes, offsets[row] ?? 0, lengths[from + row] ?? 0);
    }
  }
}
