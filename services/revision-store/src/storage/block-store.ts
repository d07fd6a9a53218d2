import { Binary } from 'mongodb';
import type { JoinedTexts } from '../domain/joined-texts.ts';
import type { AssetBlockDocument, Collections, TextBlockDocument } from './collections.ts';
import { pack, unpack } from './compression.ts';
import { bytesOf, toNumberBytes, toUint16, toUint32 } from './mapping.ts';

/** The assets of one block of a revision, in the platform's order. */
export interface AssetBlock {
  readonly assets: JoinedTexts;
  readonly descriptionOf: Uint16Array;
  readonly descriptionNumbers: Uint32Array;
}

/** Which block of which revision or text set, in which inventory. */
export interface BlockPlace {
  readonly scope: string;
  readonly set: string;
  readonly index: number;
}

export type BlockStore = ReturnType<typeof createBlockStore>;

/** Blocks are written once, under a set of their own, and never change. */
export function createBlockStore({ assetBlocks, textBlocks }: Collections) {
  return {
    async writeAssets(
      place: BlockPlace,
      block: AssetBlock,
      descriptionKeys: readonly string[],
    ): Promise<void> {
      await assetBlocks.insertOne(await toAssetDocument(place, block, descriptionKeys));
    },

    async writeTexts(place: BlockPlace, texts: JoinedTexts): Promise<void> {
      const { packed, rawBytes } = await pack(texts.bytes);
      await textBlocks.insertOne({
        _id: blockId(place),
        ...place,
        texts: new Binary(packed),
        textsRawBytes: rawBytes,
        lengths: toNumberBytes(texts.lengths),
      });
    },

    /** Undefined when there is no such block any more. */
    async readAssets(set: string, index: number): Promise<AssetBlock | undefined> {
      const document = await assetBlocks.findOne(
        { _id: blockId({ set, index }) },
        { projection: { descriptionKeys: 0 } },
      );
      return document ? fromAssetDocument(document) : undefined;
    },

    async readTexts(set: string, index: number): Promise<JoinedTexts | undefined> {
      const document = await textBlocks.findOne({ _id: blockId({ set, index }) });
      return document ? fromTextDocument(document) : undefined;
    },

    /** The join keys of a block's descriptions, in the block's own numbering. */
    async readDescriptionKeys(set: string, index: number): Promise<readonly string[] | undefined> {
      const document = await assetBlocks.findOne(
        { _id: blockId({ set, index }) },
        { projection: { descriptionKeys: 1, descriptionKeysRawBytes: 1 } },
      );
      if (!document) return undefined;
      const packed = bytesOf(document.descriptionKeys);
      const raw = unpack({ packed, rawBytes: document.descriptionKeysRawBytes });
      return JSON.parse(raw.toString()) as string[];
    },

    /** Every revision and text set of an inventory that has blocks, referred to or not. */
    async listSets(scope: string): Promise<string[]> {
      const [revisions, textSets] = await Promise.all([
        assetBlocks.distinct('set', { scope }),
        textBlocks.distinct('set', { scope }),
      ]);
      return [...revisions, ...textSets];
    },

    /** Deletes whole sets; how many blocks there were. */
    async deleteSets(scope: string, sets: readonly string[]): Promise<number> {
      const doomed = { scope, set: { $in: [...sets] } };
      const [assets, texts] = await Promise.all([
        assetBlocks.deleteMany(doomed),
        textBlocks.deleteMany(doomed),
      ]);
      return assets.deletedCount + texts.deletedCount;
    },
  };
}

function blockId({ set, index }: Pick<BlockPlace, 'set' | 'index'>): string {
  return `${set}/${index}`;
}

async function toAssetDocument(
  place: BlockPlace,
  block: AssetBlock,
  descriptionKeys: readonly string[],
): Promise<AssetBlockDocument> {
  const assets = await pack(block.assets.bytes);
  const keys = await pack(Buffer.from(JSON.stringify(descriptionKeys)));
  return {
    _id: blockId(place),
    ...place,
    assets: new Binary(assets.packed),
    assetsRawBytes: assets.rawBytes,
    assetLengths: toNumberBytes(block.assets.lengths),
    descriptionOf: toNumberBytes(block.descriptionOf),
    descriptionNumbers: toNumberBytes(block.descriptionNumbers),
    descriptionKeys: new Binary(keys.packed),
    descriptionKeysRawBytes: keys.rawBytes,
  };
}

function fromAssetDocument(document: AssetBlockDocument): AssetBlock {
  const packed = bytesOf(document.assets);
  return {
    assets: {
      bytes: unpack({ packed, rawBytes: document.assetsRawBytes }),
      lengths: toUint32(document.assetLengths),
    },
    descriptionOf: toUint16(document.descriptionOf),
    descriptionNumbers: toUint32(document.descriptionNumbers),
  };
}

function fromTextDocument(document: TextBlockDocument): JoinedTexts {
  const packed = bytesOf(document.texts);
  return {
    bytes: unpack({ packed, rawBytes: document.textsRawBytes }),
    lengths: toUint32(document.lengths),
  };
}
