import type { RevisionId } from '@inventory/contracts/ids';
import { insertOwn, upsert } from '@inventory/mongo/duplicate-key';
import { deleteInBatches, retryOnce } from '@inventory/mongo/many-documents';
import { parseDocument, readEach, readFirst } from '@inventory/mongo/parse-document';
import { freeBytes } from '@inventory/runtime/free-bytes';
import type { Logger } from '@inventory/runtime/logger';
import { unpack, writePacked } from '@inventory/runtime/packed-bytes';
import { Binary } from 'mongodb';
import type { ChangeBlock } from '../domain/change.ts';
import type { ChainPosition, ChainSpan, ChangeSet } from '../domain/change-chain.ts';
import { bufferOf, toNumberBytes, toUint32 } from './binary-fields.ts';
import type { ChangeBlockDocument, ChangeBlockFields, KeptChangeSet } from './change-documents.ts';
import { documents, type StoreCollections } from './collections.ts';

export interface StoredChanges {
  readonly block: ChangeBlock;
  /** The key of the last change before the block; '' for none. */
  readonly previousKey: string;
  readonly lastKey: string;
}

/** Rows of one document together; one row alone may be as large as a staged page. */
const rowsBytesMax = 4 * 1024 * 1024;

export type ChangeStore = ReturnType<typeof createChangeStore>;

export function createChangeStore({ changeSets, changeBlocks }: StoreCollections, logger: Logger) {
  return { ...storeSets(changeSets, logger), ...storeBlocks(changeBlocks) };
}

/** The change sets that are not in the document of a head; over one that is corrupt nothing leads. */
function storeSets(changeSets: StoreCollections['changeSets'], logger: Logger) {
  async function keep(
    scope: string,
    root: RevisionId,
    set: ChangeSet,
    supersededAtMs: number | null,
  ): Promise<void> {
    const _id = spanId(root, set.fromOrdinal ?? set.from, set.toOrdinal);
    const update = { $set: { ...set, root, supersededAtMs } };
    await upsert(() => changeSets.updateOne({ _id, scope }, update, { upsert: true }));
  }

  return {
    /** Keeps the sets that end at a head which is superseded now; the latest time counts. */
    async keepSuperseded(
      scope: string,
      { root, ordinal }: ChainPosition,
      sets: readonly ChangeSet[],
      nowMs: number,
    ): Promise<void> {
      for (const set of sets) await keep(scope, root, set, nowMs);
      const aside = { scope, root, supersededAtMs: null, toOrdinal: ordinal };
      const superseded = { $set: { supersededAtMs: nowMs } };
      await retryOnce(() => changeSets.updateMany(aside, superseded));
    },

    /** Keeps a set that leads to the head from a revision that never was one. */
    keepAside: (scope: string, root: RevisionId, set: ChangeSet) => keep(scope, root, set, null),

    /** The set of one step from a revision. */
    async findFrom(scope: string, from: RevisionId): Promise<KeptChangeSet | null> {
      const found = await changeSets
        .find({ scope, from })
        .sort({ toOrdinal: 1 })
        .limit(1)
        .toArray();
      return found[0] ? parse(found[0]) : null;
    },

    /** Those of the spans that are kept, in order. */
    async findSpans(root: RevisionId, spans: readonly ChainSpan[]): Promise<ChangeSet[]> {
      const ids = spans.map(([from, to]) => spanId(root, from, to));
      const found = await changeSets.find({ _id: { $in: ids } }).toArray();
      const sets = readEach(found, parse, logger);
      return sets.sort((one, other) => one.toOrdinal - other.toOrdinal);
    },

    /** Twice as much for some where the first response was lost. */
    async ageSuperseded(scope: string, byMs: number): Promise<void> {
      const superseded = { scope, supersededAtMs: { $gt: 0 } };
      const older = { $inc: { supersededAtMs: -byMs } };
      await retryOnce(() => changeSets.updateMany(superseded, older));
    },

    /** The set that was superseded first. */
    async findOldest(scope: string): Promise<KeptChangeSet | null> {
      const oldest = changeSets
        .find({ scope, supersededAtMs: { $gt: 0 } })
        .sort({ supersededAtMs: 1 });
      const [first] = await readFirst(oldest, 1, (found) => [parse(found)], logger);
      return first ?? null;
    },

    /** Deletes the sets superseded until then, and those of another chain: nothing leads over them. */
    async deleteExpired(scope: string, root: RevisionId, untilMs: number): Promise<number> {
      const expired = { supersededAtMs: { $lte: untilMs } };
      const which = { scope, $or: [expired, { root: { $ne: root } }] };
      return await deleteInBatches(changeSets, which);
    },

    deleteAll: (scope: string): Promise<number> => deleteInBatches(changeSets, { scope }),

    /** The sets that are kept: their blocks are needed. */
    listKeptSets: (scope: string): Promise<string[]> => changeSets.distinct('setId', { scope }),
  };
}

/** Blocks are written once and never change; a set is read by the keys of its changes. */
function storeBlocks(changeBlocks: StoreCollections['changeBlocks']) {
  async function writeRows(fields: ChangeBlockFields, raw: Buffer): Promise<void> {
    await writePacked(raw, ({ packed, rawBytes }) =>
      insertOwn(changeBlocks, { ...fields, rows: new Binary(packed), rowsRawBytes: rawBytes }),
    );
  }

  return {
    async writeBlock(
      position: { readonly scope: string; readonly set: string },
      { block: { index, before, after }, previousKey, lastKey }: StoredChanges,
    ): Promise<void> {
      const _id = blockId(position.set, index);
      const isApart = before.bytes.length + after.bytes.length > rowsBytesMax;
      if (isApart) await writeRows({ _id: `${_id}/before`, ...position, index }, before.bytes);
      const joined = isApart ? null : Buffer.concat([after.bytes, before.bytes]);
      await writeRows(
        {
          _id,
          ...position,
          index,
          previousKey,
          lastKey,
          afterLengths: toNumberBytes(after.lengths),
          beforeLengths: toNumberBytes(before.lengths),
        },
        joined ?? after.bytes,
      );
      if (joined) freeBytes(joined);
    },

    /** The first block of a set with a change after this key; undefined after the last. */
    async readBlockAfter(
      position: { readonly scope: string; readonly set: string },
      key: string,
    ): Promise<StoredChanges | undefined> {
      const [document] = await changeBlocks
        .find({ ...position, lastKey: { $gt: key } })
        .sort({ lastKey: 1 })
        .limit(1)
        .toArray();
      if (!document) return undefined;
      const { afterLengths, beforeLengths, previousKey = '', lastKey = '', index } = document;
      if (!afterLengths || !beforeLengths) return undefined;
      const [after, before] = [toUint32(afterLengths), toUint32(beforeLengths)];
      const rows = rowsOf(document);
      const afterBytes = Math.max(0, joinedSize(after) - 1);
      const apart =
        rows.length === afterBytes && joinedSize(before) > 0
          ? await changeBlocks.findOne({ _id: `${document._id}/before`, ...position })
          : null;
      const block = {
        index,
        after: { bytes: rows.subarray(0, afterBytes), lengths: after },
        before: { bytes: apart ? rowsOf(apart) : rows.subarray(afterBytes), lengths: before },
      };
      return { block, previousKey, lastKey };
    },
  };
}

const blockId = (set: string, index: number): string => `${set}/${index}`;

function spanId(root: RevisionId, from: number | RevisionId, to: number): string {
  return `${root}/${from}/${to}`;
}

function joinedSize(lengths: Uint32Array): number {
  return lengths.reduce((sum, length) => sum + (length === 0 ? 0 : length + 1), 0);
}

function rowsOf({ rows, rowsRawBytes: rawBytes }: ChangeBlockDocument): Buffer {
  return unpack({ packed: bufferOf(rows), rawBytes });
}

const parse = (stored: KeptChangeSet) => parseDocument(documents.changeSet, stored);
