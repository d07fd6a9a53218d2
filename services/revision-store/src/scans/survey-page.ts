import { isUtf8 } from 'node:buffer';
import {
  pageRowsMax,
  type StagedAsset,
  type StagedDescription,
  stagedAsset,
  stagedDescription,
} from '@inventory/contracts/staged-rows';
import { type PageSurvey, surveyRows } from '../domain/page-survey.ts';
import { type LocatedRow, locateRows } from '../domain/page-text.ts';
import { sha256Number, sha256Text } from '../domain/sha256.ts';
import { PagesInvalid } from './read-staged-page.ts';

interface Contract<Row> {
  readonly schema: {
    safeParse(value: unknown): { readonly success: boolean; readonly data?: Row };
  };
  /** Whether the schema accepts a row, at a tenth of its time; of others it is asked. */
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
