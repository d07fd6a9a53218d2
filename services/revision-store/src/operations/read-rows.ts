import { pageRowsMax, stagedAsset, stagedDescription } from '@inventory/contracts/staged-rows';
import { locateRows, type TextSpan } from '../domain/page-text.ts';
import type { SurveyedPage, SurveyedRow } from '../domain/survey.ts';
import { PagesInvalid } from './read-staged-page.ts';
import { sha256Number, sha256Text } from './sha256.ts';

interface Schema<Row> {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: Row };
}

/**
 * The rows of a page, each checked against its contract as it is read; none of them outlives the
 * reading. {@link PagesInvalid} when the text is not JSON of the contract.
 */
export function readRows(text: Buffer): SurveyedPage {
  const rows = locateRows(text);
  if (rows === null) throw new PagesInvalid('a page is not an object with two lists');
  if (Math.max(rows.assets.length, rows.descriptions.length) > pageRowsMax) {
    throw new PagesInvalid('a page has too many rows');
  }
  return {
    assets: assetRows(text, rows.assets),
    descriptions: describedRows(text, rows.descriptions),
  };
}

function* rowsOf<Row>(
  text: Buffer,
  spans: readonly TextSpan[],
  schema: Schema<Row>,
): Generator<SurveyedRow<Row> & { readonly span: TextSpan }> {
  for (const span of spans) {
    const { success, data } = schema.safeParse(
      JSON.parse(text.toString('utf8', span.start, span.end)),
    );
    if (!success || data === undefined) throw new PagesInvalid('a row breaks its contract');
    yield { row: data, bytes: span.end - span.start, span };
  }
}

function* assetRows(text: Buffer, spans: readonly TextSpan[]) {
  for (const { row, bytes, span } of rowsOf(text, spans, stagedAsset)) {
    yield { row, bytes, textNumber: sha256Number(text.subarray(span.start, span.end)) };
  }
}

function* describedRows(text: Buffer, spans: readonly TextSpan[]) {
  for (const { row, bytes, span } of rowsOf(text, spans, stagedDescription)) {
    yield { row, bytes, textDigest: sha256Text(text.subarray(span.start, span.end)) };
  }
}
