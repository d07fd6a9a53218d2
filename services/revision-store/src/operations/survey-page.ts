import { isUtf8 } from 'node:buffer';
import { pageRowsMax, stagedAsset, stagedDescription } from '@inventory/contracts/staged-rows';
import { type PageSurvey, surveyRows } from '../domain/page-survey.ts';
import { type LocatedRow, locateRows } from '../domain/page-text.ts';
import { PagesInvalid } from './read-staged-page.ts';
import { sha256Number, sha256Text } from './sha256.ts';

interface Schema<Row> {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: Row };
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
    assets: rowsOf(text, rows.assets, stagedAsset, sha256Number),
    descriptions: rowsOf(text, rows.descriptions, stagedDescription, sha256Text),
  });
}

function* rowsOf<Row, Digest>(
  text: Buffer,
  located: readonly LocatedRow[],
  schema: Schema<Row>,
  digestOf: (row: Buffer) => Digest,
) {
  for (const { start, end, value } of located) {
    const { success, data } = schema.safeParse(value);
    if (!success || data === undefined) throw new PagesInvalid('a row breaks its contract');
    yield { row: data, start, end, digest: digestOf(text.subarray(start, end)) };
  }
}
