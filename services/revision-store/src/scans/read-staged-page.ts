import { isUtf8 } from 'node:buffer';
import { stagedPageBytesMax } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import {
  pageRowsMax,
  type StagedAsset,
  type StagedDescription,
  stagedAsset,
  stagedDescription,
} from '@inventory/contracts/staged-rows';
import { unpack } from '@inventory/runtime/packed-bytes';
import { joinLists, type PageLists } from '../domain/page-lists.ts';
import { type PageSurvey, surveyRows } from '../domain/page-survey.ts';
import { type LocatedRow, locateRows } from '../domain/page-text.ts';
import { sha256Hex, sha256Number, sha256Text } from '../domain/sha256.ts';
import type { ChunkStore, PackedLists, StagedChunk } from '../storage/chunk-store.ts';

/** Staged pages that no try can assemble into a revision. */
export class PagesInvalid extends Error {
  override name = 'PagesInvalid';
}

/** The chunks of a page, packed as they are stored. */
export type PackedPage = readonly StagedChunk[];

/**
 * The chunks of one page of a manifest: exactly those it names, none other. Null when one of them is
 * not there; {@link PagesInvalid} when they cannot be a page.
 */
export async function readPackedPage(
  chunks: ChunkStore,
  scanId: string,
  { page, epoch, chunks: named }: ManifestPage,
): Promise<PackedPage | null> {
  const bytes = named.reduce((sum, chunk) => sum + chunk.bytes, 0);
  if (bytes > stagedPageBytesMax) throw new PagesInvalid('a page is too large');
  const staged = await chunks.readChunks(named.map((_, chunk) => ({ scanId, epoch, page, chunk })));
  const found = named.flatMap(({ digest }, index) => {
    const chunk = staged[index];
    return chunk?.digest === digest ? chunk : [];
  });
  return found.length === named.length ? found : null;
}

/** The lists of a page that is stored as them; null for any other. */
export function listsOf([first]: PackedPage): PackedLists | null {
  return first && 'assets' in first.content ? first.content : null;
}

export function unpackLists({ assets, descriptions }: PackedLists): PageLists {
  return { assets: unpack(assets), descriptions: unpack(descriptions) };
}

/** The text of a page. Null when a chunk is not what its digest names. */
export function unpackVerified(page: PackedPage): Buffer | null {
  const contents = page.map(contentOf);
  const isOther = (content: Buffer, index: number) => sha256Hex(content) !== page[index]?.digest;
  return contents.some(isOther) ? null : joined(contents);
}

/** The text of a page that was verified before. */
export function unpackPage(page: PackedPage): Buffer {
  return joined(page.map(contentOf));
}

function contentOf({ content }: StagedChunk): Buffer {
  return 'assets' in content ? joinLists(unpackLists(content)) : unpack(content);
}

function joined(contents: readonly Buffer[]): Buffer {
  const [only] = contents;
  return only && contents.length === 1 ? only : Buffer.concat(contents);
}

interface Contract<Row> {
  readonly schema: {
    safeParse(value: unknown): { readonly success: boolean; readonly data?: Row };
  };
  /** Whether the schema accepts a row, at a tenth of its time; others are parsed by it. */
  readonly isPlain: (row: LocatedRow['value']) => boolean;
}

/** Reads the text of a page once, and checks each row against its contract. {@link PagesInvalid} when it is no page. */
export function surveyPage(text: Buffer): PageSurvey {
  if (!isUtf8(text)) throw new PagesInvalid('a page is not UTF-8');
  const rows = locateRows(text);
  if (rows === null) throw new PagesInvalid('a page is not an object with two lists');
  if (Math.max(rows.assets.length, rows.descriptions.length) > pageRowsMax) {
    throw new PagesInvalid('a page has too many rows');
  }
  return surveyRows({
    assets: rowsOf(text, rows.assets, assets, sha256Number),
    descriptions: rowsOf(text, rows.descriptions, descriptions, sha256Text),
  });
}

function* rowsOf<Row, Digest>(
  text: Buffer,
  located: readonly LocatedRow[],
  contract: Contract<Row>,
  digestOf: (row: Buffer) => Digest,
) {
  for (const { start, end, value } of located) {
    const row = checkedRow(value, contract);
    yield { row, start, end, digest: digestOf(text.subarray(start, end)) };
  }
}

function checkedRow<Row>(value: LocatedRow['value'], { schema, isPlain }: Contract<Row>): Row {
  if (isPlain(value)) return value as Row;
  const { success, data } = schema.safeParse(value);
  if (!success || data === undefined) throw new PagesInvalid('a row breaks its contract');
  return data;
}

const plainAmount = /^[0-9]{1,20}$/;
const isText = (value: unknown) => typeof value === 'string';

const descriptions: Contract<StagedDescription> = {
  schema: stagedDescription,
  isPlain: (row) =>
    row !== undefined &&
    Number.isSafeInteger(row['appid']) &&
    isText(row['classid']) &&
    isText(row['instanceid']),
};

const assets: Contract<StagedAsset> = {
  schema: stagedAsset,
  isPlain: (row) =>
    row !== undefined &&
    descriptions.isPlain(row) &&
    isText(row['contextid']) &&
    isText(row['assetid']) &&
    row['assetid'] !== '' &&
    isText(row['amount']) &&
    plainAmount.test(row['amount'] as string) &&
    row['currencyid'] === undefined,
};
