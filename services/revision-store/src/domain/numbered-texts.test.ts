import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { addTexts, numberOf, openNumberedTexts, packTexts, textAt } from './numbered-texts.ts';

const text = fc.oneof(
  fc.constantFrom('', '1', '11', '[730,"2","asset","1"]', 'ß', '\n', '\u0000'),
  fc.string({ unit: 'binary', maxLength: 4 }).map((odd) => odd.toWellFormed()),
);
const pages = fc.array(fc.array(text, { maxLength: 8 }), { maxLength: 4 });

const numbersAsAMap = (add: typeof addTexts) =>
  fc.property(pages, fc.nat(), (given, seed) => {
    const texts = openNumberedTexts(seed);
    const known = new Map<string, number>();
    for (const page of given) {
      const numbers = add(texts, packTexts(page));
      for (const each of page) if (!known.has(each)) known.set(each, known.size);
      expect([...numbers]).toEqual(page.map((each) => known.get(each)));
    }
    expect(texts.size).toBe(known.size);
    for (const [each, number] of known) {
      expect(numberOf(texts, each)).toBe(number);
      expect(textAt(texts, number)).toBe(each);
    }
    expect(numberOf(texts, 'of none')).toBe(-1);
  });

describe('Texts', () => {
  it('are numbered as they come, each once, and found again', () => {
    fc.assert(numbersAsAMap(addTexts), { numRuns: propertyRuns(1_000) });
  });

  it('are found wrong when they are known by their first characters', () => {
    const planted: typeof addTexts = (texts, { bytes, ends }) => {
      const starts = [0, ...ends];
      const short = [...ends].map((end, at) => {
        const start = starts[at] ?? 0;
        return Buffer.from(bytes.subarray(start, Math.min(end, start + 1))).toString('latin1');
      });
      return addTexts(texts, packTexts(short));
    };
    expect(fc.check(numbersAsAMap(planted), { seed: 1, numRuns: 1_000 }).failed).toBe(true);
  });

  it('are as many as there are, whatever they share', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `[730,"2","asset","${at}"]`);
    const texts = openNumberedTexts(7);

    const numbers = addTexts(texts, packTexts(many));
    const again = addTexts(texts, packTexts(many.toReversed()));

    expect([...numbers]).toEqual([...many.keys()]);
    expect([...again]).toEqual([...many.keys()].reverse());
    expect(numberOf(texts, many[19_999] ?? '')).toBe(19_999);
  });
});
