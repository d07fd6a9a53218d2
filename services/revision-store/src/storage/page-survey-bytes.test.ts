import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { page } from '../../test/support/arbitraries.ts';
import { surveyPage } from '../scans/survey-page.ts';
import { fromSurveyBytes, toSurveyBytes } from './page-survey-bytes.ts';

/** Ids are any text. */
const surveys = fc
  .tuple(page, fc.constantFrom('', '\n', 'ß\u2028"'))
  .map(([{ assets, descriptions }, odd]) => {
    const oddAssets = assets.map((row) => ({ ...row, assetid: row.assetid + odd }));
    const oddTexts = descriptions.map((row) => ({ ...row, classid: row.classid + odd }));
    return surveyPage(Buffer.from(JSON.stringify({ assets: oddAssets, descriptions: oddTexts })));
  });

const isKept = (read: typeof fromSurveyBytes) =>
  fc.property(surveys, fc.nat({ max: 9 }), (survey, offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), toSurveyBytes(survey)]);
    expect(read(bytes.subarray(offset))).toEqual(survey);
  });

describe('The survey of a page', () => {
  it('is what it was once it is read from its bytes, wherever they lie', () => {
    fc.assert(isKept(fromSurveyBytes), { numRuns: propertyRuns(500) });
  });

  it('is found wrong when a text is lost', () => {
    const planted: typeof fromSurveyBytes = (bytes) => {
      const survey = fromSurveyBytes(bytes);
      return survey && { ...survey, keys: survey.keys.slice(0, 1) };
    };
    expect(fc.check(isKept(planted), { seed: 1, numRuns: 500 }).failed).toBe(true);
  });

  it('is none where its form is of another version', () => {
    expect(fromSurveyBytes(Buffer.from([2, 0, 0, 0]))).toBeNull();
  });
});
