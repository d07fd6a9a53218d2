import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { page } from '../../test/support/arbitraries.ts';
import { surveyPage } from '../scans/read-staged-page.ts';
import { cutLists, joinLists } from './page-lists.ts';

const cut = (text: string) => cutLists(Buffer.from(text), surveyPage(Buffer.from(text)));

const isCutAtItsRows = (cutOne: typeof cutLists) =>
  fc.property(page, ({ assets, descriptions }) => {
    const text = Buffer.from(JSON.stringify({ assets, descriptions }));

    const lists = cutOne(text, surveyPage(text));

    const inner = (rows: readonly unknown[]) => JSON.stringify(rows).slice(1, -1);
    expect(String(lists?.assets)).toBe(inner(assets));
    expect(String(lists?.descriptions)).toBe(inner(descriptions));
    expect(lists && joinLists(lists)).toEqual(text);
  });

describe('The lists of a staged page (byte for byte as it was staged)', () => {
  it('are its rows joined by commas, and make the same page again', () => {
    fc.assert(isCutAtItsRows(cutLists), { numRuns: propertyRuns(500) });
  });

  it('are found wrong when the last row is lost', () => {
    const planted: typeof cutLists = (text, survey) =>
      cutLists(text, { ...survey, descriptions: survey.descriptions.slice(0, -2) });
    expect(fc.check(isCutAtItsRows(planted), { seed: 1, numRuns: 500 }).failed).toBe(true);
  });

  const row = '{"appid":1,"classid":"3","instanceid":"0"}';
  it.each([
    ['a member beside the lists', `{"assets":[],"descriptions":[${row}],"more":1}`],
    ['a member before the lists', `{"more":1,"assets":[],"descriptions":[${row}]}`],
    ['its lists in the other order', `{"descriptions":[${row}],"assets":[]}`],
    ['a space between rows', `{"assets":[],"descriptions":[${row}, ${row}]}`],
    ['a space before a comma', `{"assets":[],"descriptions":[${row} ,${row}]}`],
    ['a space in an empty list', `{"assets":[ ],"descriptions":[${row}]}`],
    ['a space before the first row', `{"assets":[],"descriptions":[ ${row}]}`],
    ['a space after the last row', `{"assets":[],"descriptions":[${row} ]}`],
    ['a space after the page', `{"assets":[],"descriptions":[${row}]} `],
    ['another spelling of a name', `{"assets":[],"descripti\\u006fns":[${row}]}`],
  ])('are none of a page with %s', (_what, text) => {
    expect(cut(text)).toBeNull();
  });
});
