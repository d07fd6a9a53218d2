import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createFrameParser, type Frame } from './stream-frames.ts';

function framesOf(text: string | Uint8Array, cuts: readonly number[] = []): Frame[] {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
    (left, right) => left - right,
  );
  const parser = createFrameParser();
  let from = 0;
  return ends.flatMap((end) => {
    const frames = [...parser.take(bytes.subarray(from, end))];
    from = end;
    return frames;
  });
}

const stream = [
  ': a comment',
  '',
  'event: checkpoint',
  'id: c0',
  'data: {"as_of":1}',
  '',
  'retry: 5',
  'event: inventory.refresh.completed',
  'id:c1',
  'data: {"text":',
  'data:"ä€😀"}',
  'unknown: x',
  ':',
  '',
  'id: c2',
  '',
  'data: unfinished',
].join('\n');
const frames: Frame[] = [
  { type: 'checkpoint', id: 'c0', data: '{"as_of":1}' },
  { type: 'inventory.refresh.completed', id: 'c1', data: '{"text":\n"ä€😀"}' },
];

test.each([
  ['LF', '\n'],
  ['CR', '\r'],
  ['CRLF', '\r\n'],
])(
  'lines that end with %s, split at any byte, are the same frames; what is unfinished is none',
  (_name, lineEnd) => {
    const text = stream.replaceAll('\n', lineEnd);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(framesOf(text, cuts)).toEqual(frames);
      }),
      { numRuns: propertyRuns(300) },
    );
  },
);

test('byte by byte, with a byte order mark, the result is the same', () => {
  const bytes = new TextEncoder().encode(`\uFEFF${stream}`);

  expect(framesOf(bytes, [...bytes.keys()])).toEqual(frames);
});

test('no frame is larger than the limit, however it arrives', () => {
  const line = `data: ${'x'.repeat(100_000)}\n`;

  expect(framesOf(`${line}${line}\n`)).toHaveLength(1);
  expect(() => framesOf(`${line}${line}${line}\n`)).toThrow('too large');
  expect(() => framesOf(line.repeat(3), [50, 100_500, 200_900])).toThrow('too large');
  expect(() => framesOf(`id: ${'x'.repeat(300_000)}`)).toThrow('too large');
});

test('a large read is parsed only as far as the caller iterates', () => {
  const one = `data: ${'x'.repeat(1_000)}\n\n`;
  const taken = createFrameParser().take(new TextEncoder().encode(one.repeat(1_000)));
  const broken = new TextEncoder().encode(`${one}${'data: y\n'.repeat(200_000)}`);

  expect(taken.next().value?.data).toHaveLength(1_000);
  expect(createFrameParser().take(broken).next().value?.data).toHaveLength(1_000);
});
