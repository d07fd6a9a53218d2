import type { RevisionId } from '@inventory/contracts/ids';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import type { PackedBeginning } from '@inventory/http/packed-body';
import { insertOwn, upsert } from '@inventory/mongo/duplicate-key';
import { deleteInBatches } from '@inventory/mongo/many-documents';
import { invariant } from '@inventory/runtime/bug';
import { type PackedBytes, pack, unpack, writePacked } from '@inventory/runtime/packed-bytes';
import { Binary } from 'mongodb';
import { bufferOf, toNumberBytes, toUint16, toUint32 } from './binary-fields.ts';
import type {
  AssetBlockDocument,
  BlockPosition,
  LengthsFields,
  PartsFields,
  StoreCollections,
  TextBlockDocument,
} from './collections.ts';

/** The lengths of all texts of a block, and the rows at which its parts begin. */
interface TextsOutline {
  readonly lengths: Uint32Array;
  readonly starts: readonly number[];
}

/** The texts of a block in parts of one document each. The first one has the outline of all. */
export interface BlockTexts<First = Buffer> extends TextsOutline {
  /** The texts of the first part, joined. */
  readonly first: First;
}

/** Texts to be written; those that are packed already are stored as they are. */
type NewTexts = Buffer | PackedBytes;

/** The assets of one block of a revision, in the platform's order. */
export interface AssetBlock<First = Buffer> {
  readonly assets: BlockTexts<First>;
  readonly descriptionOf: Uint16Array;
  readonly descriptionNumbers: Uint32Array;
}

/** Reads blocks, with their first texts as they are, or packed. Undefined for one that is gone. */
export interface BlockReading<First = Buffer> {
  readAssets(set: string, index: number): Promise<AssetBlock<First> | undefined>;
  readTexts(set: string, index: number): Promise<BlockTexts<First> | undefined>;
  /** The texts of a later part, of assets or of descriptions. */
  readPart(set: string, index: number, part: number): Promise<Buffer | undefined>;
}

/** What pages are read of: blocks, whole ones that are kept packed, and the keys of descriptions. */
export interface PageBlocks extends BlockReading {
  readPacked(position: PackedPosition): Promise<PackedBeginning | undefined>;
  /** Keeps a packed block as long as its rows and texts; not where they went meanwhile. */
  keepPacked(scope: string, position: PackedPosition, packed: PackedBeginning): Promise<void>;
  /** The join keys of a block's descriptions, in the block's own numbering. */
  readDescriptionKeys(set: string, index: number): Promise<readonly string[] | undefined>;
}

export type BlockStore = ReturnType<typeof createBlockStore>;

/** Blocks are written once, under a set of their own, and never change. */
export function createBlockStore(collections: StoreCollections) {
  const { assetBlocks, textBlocks, changeBlocks } = collections;
  const asStored = readAsStored(collections);

  async function insertTexts(
    _id: string,
    position: BlockPosition,
    outline: LengthsFields,
    texts: NewTexts,
  ): Promise<void> {
    await writePacked(texts, ({ packed, rawBytes }) => {
      const stored = { texts: new Binary(packed), textsRawBytes: rawBytes };
      return insertOwn(textBlocks, { _id, ...position, ...outline, ...stored });
    });
  }

  return {
    asStored,

    async writeAssets(
      position: BlockPosition,
      block: AssetBlock<NewTexts>,
      descriptionKeys: readonly string[],
    ): Promise<void> {
      const keys = await pack(Buffer.from(JSON.stringify(descriptionKeys)));
      await writePacked(block.assets.first, (assets) =>
        insertOwn(assetBlocks, toAssetDocument(position, block, assets, keys)),
      );
    },

    async writeTexts(
      position: BlockPosition,
      { first, lengths, starts }: BlockTexts<NewTexts>,
    ): Promise<void> {
      const outline =
        starts.length > 1
          ? { parts: toPartsFields({ lengths, starts }) }
          : { lengths: toNumberBytes(lengths) };
      await insertTexts(blockId(position.set, position.index), position, outline, first);
    },

    /** Writes the texts of a later part, of assets or of descriptions. */
    async writePart(position: BlockPosition, part: number, texts: NewTexts): Promise<void> {
      await insertTexts(partId(position.set, position.index, part), position, {}, texts);
    },

    async readAssets(set: string, index: number): Promise<AssetBlock | undefined> {
      const block = await asStored.readAssets(set, index);
      return block && { ...block, assets: unpackFirst(block.assets) };
    },

    async readTexts(set: string, index: number): Promise<BlockTexts | undefined> {
      const texts = await asStored.readTexts(set, index);
      return texts && unpackFirst(texts);
    },

    readPart: asStored.readPart,

    ...createPackedStore(collections),

    async readDescriptionKeys(set: string, index: number): Promise<readonly string[] | undefined> {
      const document = await assetBlocks.findOne(
        { _id: blockId(set, index) },
        { projection: { descriptionKeys: 1, descriptionKeysRawBytes: 1 } },
      );
      if (!document) return undefined;
      const packed = bufferOf(document.descriptionKeys);
      const raw = unpack({ packed, rawBytes: document.descriptionKeysRawBytes });
      return JSON.parse(raw.toString()) as string[];
    },

    /** Every set of an inventory that has blocks, those of changes too, referred to or not. */
    async listSets(scope: string): Promise<string[]> {
      const sets = await Promise.all([
        assetBlocks.distinct('set', { scope }),
        textBlocks.distinct('set', { scope }),
        changeBlocks.distinct('set', { scope }),
      ]);
      return sets.flat();
    },

    /** Deletes whole sets; how many blocks there were. */
    async deleteSets(scope: string, sets: readonly string[]): Promise<number> {
      const doomed = { scope, set: { $in: [...sets] } };
      const deleted = await Promise.all([
        deleteInBatches(assetBlocks, doomed),
        deleteInBatches(textBlocks, doomed),
        deleteInBatches(changeBlocks, doomed),
      ]);
      return deleted.reduce((sum, count) => sum + count, 0);
    },
  };
}

function createPackedStore({ assetBlocks, textBlocks, packedBlocks }: StoreCollections) {
  return {
    async readPacked(position: PackedPosition): Promise<PackedBeginning | undefined> {
      const document = await packedBlocks.findOne({ _id: packedId(position) });
      if (!document) return undefined;
      const { packed, rawBytes, crc32 } = document;
      return { coding: position.coding, bytes: bufferOf(packed), rawBytes, crc32 };
    },

    async keepPacked(
      scope: string,
      position: PackedPosition,
      { bytes, rawBytes, crc32 }: PackedBeginning,
    ): Promise<void> {
      const { index, textSetId, rowSetId, revisionId } = position;
      const [_id, set] = [packedId(position), packedSetId(position)];
      const fields = { scope, set, index, packed: new Binary(bytes), rawBytes, crc32 };
      const update = { $setOnInsert: fields };
      await upsert(() => packedBlocks.updateOne({ _id }, update, { upsert: true }));
      const projection = { _id: 1 };
      const sets = rowSetId === null ? [textSetId] : [textSetId, rowSetId];
      const texts = { _id: { $in: sets.map((one) => blockId(one, index)) } };
      const [block, others] = await Promise.all([
        assetBlocks.findOne({ _id: blockId(revisionId, index) }, { projection }),
        textBlocks.find(texts, { projection }).toArray(),
      ]);
      if (!block || others.length < sets.length) await packedBlocks.deleteOne({ _id });
    },
  };
}

/** Blocks with their first texts as they are stored. */
function readAsStored({ assetBlocks, textBlocks }: StoreCollections): BlockReading<PackedBytes> {
  return {
    async readAssets(set, index) {
      const document = await assetBlocks.findOne(
        { _id: blockId(set, index) },
        { projection: { descriptionKeys: 0 } },
      );
      return document ? fromAssetDocument(document) : undefined;
    },

    async readTexts(set, index) {
      const document = await textBlocks.findOne({ _id: blockId(set, index) });
      return document
        ? { ...outlineOf(document.lengths, document.parts), first: textsOf(document) }
        : undefined;
    },

    async readPart(set, index, part) {
      const document = await textBlocks.findOne({ _id: partId(set, index, part) });
      return document ? unpack(textsOf(document)) : undefined;
    },
  };
}

/** A revision, and the set of its rows where they are not those of the revision. */
export interface RowSets {
  readonly revisionId: RevisionId;
  readonly rowSetId: string | null;
}

/** The rows of a revision with their texts in one language. */
interface PackedSets extends RowSets {
  readonly textSetId: string;
}

/** A whole block of a revision in one language and coding. */
export interface PackedPosition extends PackedSets {
  readonly index: number;
  readonly coding: ContentCoding;
}

/** The set of the packed blocks of some rows with some texts. */
export function packedSetId({ textSetId, rowSetId, revisionId }: PackedSets): string {
  return `${textSetId}/${rowSetId ?? revisionId}`;
}

/** The id of its document. */
export function packedId({
  textSetId,
  index,
  rowSetId,
  revisionId,
  coding,
}: PackedPosition): string {
  return `${textSetId}/${index}/${rowSetId ?? revisionId}/${coding}`;
}

function blockId(set: string, index: number): string {
  return `${set}/${index}`;
}

function partId(set: string, index: number, part: number): string {
  return `${blockId(set, index)}/${part}`;
}

function toPartsFields({ lengths, starts }: TextsOutline): PartsFields {
  return { lengths: toNumberBytes(lengths), starts };
}

function outlineOf(lengths: Binary | undefined, parts: PartsFields | undefined): TextsOutline {
  if (parts) return { lengths: toUint32(parts.lengths), starts: parts.starts };
  invariant(lengths !== undefined, 'a block has the lengths of its texts');
  return { lengths: toUint32(lengths), starts: [0] };
}

function toAssetDocument(
  position: BlockPosition,
  block: AssetBlock<unknown>,
  assets: PackedBytes,
  keys: PackedBytes,
): AssetBlockDocument {
  return {
    _id: blockId(position.set, position.index),
    ...position,
    assets: new Binary(assets.packed),
    assetsRawBytes: assets.rawBytes,
    ...(block.assets.starts.length > 1
      ? { parts: toPartsFields(block.assets) }
      : { assetLengths: toNumberBytes(block.assets.lengths) }),
    descriptionOf: toNumberBytes(block.descriptionOf),
    descriptionNumbers: toNumberBytes(block.descriptionNumbers),
    descriptionKeys: new Binary(keys.packed),
    descriptionKeysRawBytes: keys.rawBytes,
  };
}

function fromAssetDocument(document: AssetBlockDocument): AssetBlock<PackedBytes> {
  return {
    assets: {
      ...outlineOf(document.assetLengths, document.parts),
      first: { packed: bufferOf(document.assets), rawBytes: document.assetsRawBytes },
    },
    descriptionOf: toUint16(document.descriptionOf),
    descriptionNumbers: toUint32(document.descriptionNumbers),
  };
}

function textsOf({ texts, textsRawBytes: rawBytes }: TextBlockDocument): PackedBytes {
  return { packed: bufferOf(texts), rawBytes };
}

function unpackFirst(texts: BlockTexts<PackedBytes>): BlockTexts {
  return { ...texts, first: unpack(texts.first) };
}
