import { stagedAsset, stagedDescription } from '@inventory/contracts/staged-rows';
import type { LocatedRow, PageRows } from '../domain/page-text.ts';
import type { SurveyedPage, SurveyedRow } from '../domain/survey.ts';
import { PagesInvalid } from './read-staged-page.ts';
import { sha256Number, sha256Text } from './sha256.ts';

interface Schema<Row> {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: Row };
}

/** The rows of a page, each checked against its contract. {@link PagesInvalid} when one breaks it. */
export function readRows(text: Buffer, rows: PageRows): SurveyedPage {
  return {
    assets: assetRows(text, rows.assets),
    descriptions: describedRows(text, rows.descriptions),
  };
}

function* rowsOf<Row>(
  located: readonly LocatedRow[],
  schema: Schema<Row>,
): Generator<SurveyedRow<Row> & { readonly start: number; readonly end: number }> {
  for (const { start, end, value } of located) {
    const { success, data } = schema.safeParse(value);
    if (!success || data === undefined) throw new PagesInvalid('a row breaks its contract');
    yield { row: data, bytes: end - start, start, end };
  }
}

function* assetRows(text: Buffer, located: readonly LocatedRow[]) {
  for (const { row, bytes, start, end } of rowsOf(located, stagedAsset)) {
    yield { row, bytes, textNumber: sha256Number(text.subarray(start, end)) };
  }
}

function* describedRows(text: Buffer, located: readonly LocatedRow[]) {
  for (const { row, bytes, start, end } of rowsOf(located, stagedDescription)) {
    yield { row, bytes, textDigest: sha256Text(text.subarray(start, end)) };
  }
}
