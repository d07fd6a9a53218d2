import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createProjectRing, type RingChunk } from './project-ring.domain.ts';

const frameOf = (position: number) => Buffer.from(`<${position}>`);
const anyLimits = fc.record({
  entriesMax: fc.integer({ min: 1, max: 100 }),
  bytesMax: fc.integer({ min: 10, max: 400 }),
});

test('whatever comes in, a ring gives what follows a position without gap, or says that it cannot (Events) [events-gapless]', () => {
  fc.assert(
    fc.property(
      fc.nat(20),
      fc.array(fc.oneof(fc.constant(1), fc.integer({ min: -3, max: 3 })), { maxLength: 60 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 30 }),
      anyLimits,
      (head, jumps, position, bytesMax, limits) => {
        const ring = createProjectRing(head, limits);
        let last = head;
        const results = jumps.map((jump) => {
          const next = last + jump;
          if (jump === 1) last = next;
          return ring.append(next, () => frameOf(next));
        });

        expect(results).toEqual(
          jumps.map((jump) => (jump <= 0 ? 'old' : jump === 1 ? 'appended' : 'gap')),
        );
        expect(ring.last).toBe(last);
        const chunk = ring.after(position, bytesMax);
        if (position < ring.from) expect(chunk).toBeNull();
        else if (position < last) {
          const positions = [...(chunk?.bytes.toString() ?? '').matchAll(/<(\d+)>/g)].map(
            positionOf,
          );
          expect(positions).toEqual(positions.map((_one, index) => position + 1 + index));
          expect(chunk?.last).toBe(positions.at(-1));
          if (positions.length > 1) expect(chunk?.bytes.length).toBeLessThanOrEqual(bytesMax);
        }
      },
    ),
    { numRuns: propertyRuns(2_000) },
  );
});

const positionOf = (match: RegExpMatchArray) => Number(match[1]);

/** As large as the events of most Projects, and as a Project's ring. */
const large = { entriesMax: 1_000, bytesMax: 1024 * 1024 };
const frameBytes = 1_000;
const bigFrame = (position: number) => Buffer.alloc(frameBytes, String(position % 10));

/** Bytes of the memory that these chunks keep, shared or not. */
function bytesKept(chunks: readonly (RingChunk | null)[]): number {
  const memory = new Set(chunks.flatMap((chunk) => (chunk ? [chunk.bytes.buffer] : [])));
  return [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

test('readers at any number of positions keep no more memory than the ring is counted with (Architecture: everything is bounded)', () => {
  const ring = createProjectRing(0, large);
  for (let position = 1; position <= 1_000; position += 1) {
    ring.append(position, () => bigFrame(position));
  }
  const readersAt = (count: number) =>
    Array.from({ length: count }, (_none, reader) =>
      ring.after(ring.last - 1 - Math.floor((reader * 999) / count), 64 * 1024),
    );

  const [few, many, all] = [readersAt(4), readersAt(63), readersAt(999)];

  expect(bytesKept(few)).toBeGreaterThan(0);
  for (const readers of [few, many, all]) {
    expect(bytesKept(readers)).toBeLessThanOrEqual(ring.bytes);
  }
  expect(ring.bytes).toBeLessThanOrEqual(large.bytesMax);
});

test('while events are appended, what 63 readers at 63 positions have not sent keeps at most as much again as the ring', () => {
  const ring = createProjectRing(0, large);
  const nothing = { bytes: Buffer.alloc(0), last: 0 };
  const readers: RingChunk[] = Array.from({ length: 63 }, () => nothing);
  let most = 0;
  for (let position = 1; position <= 3_000; position += 1) {
    ring.append(position, () => bigFrame(position));
    // One after the other, each takes what follows its position: it lags behind by 63 events at most.
    const index = position % readers.length;
    readers[index] = ring.after(readers[index]?.last ?? 0, 64 * 1024) ?? nothing;
    most = Math.max(most, bytesKept(readers) + ring.bytes);
  }

  expect(most).toBeLessThanOrEqual(2 * large.bytesMax);
});

test('what was given out stays as it was, whatever is appended and dropped after it', () => {
  fc.assert(
    fc.property(anyLimits, fc.integer({ min: 1, max: 200 }), (limits, events) => {
      const ring = createProjectRing(0, limits);
      const given: { readonly chunk: RingChunk; readonly text: string }[] = [];
      for (let position = 1; position <= events; position += 1) {
        ring.append(position, () => frameOf(position));
        const chunk = ring.after(Math.max(ring.from, position - 3), 1_000);
        if (chunk) given.push({ chunk, text: chunk.bytes.toString() });
      }

      for (const { chunk, text } of given) expect(chunk.bytes.toString()).toBe(text);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('a ring stays within its entries and bytes, and a full one keeps most of them', () => {
  const ring = createProjectRing(0, large);
  for (let position = 1; position <= 3_000; position += 1) {
    ring.append(position, () => bigFrame(position));
    expect(ring.last - ring.from).toBeLessThanOrEqual(large.entriesMax);
    expect(ring.bytes).toBeLessThanOrEqual(large.bytesMax);
  }

  expect(ring.last - ring.from).toBeGreaterThan(0.85 * large.entriesMax);
  ring.trim();
  expect(ring.last - ring.from).toBeGreaterThan(0.35 * large.entriesMax);
  expect(ring.bytes).toBeLessThanOrEqual(large.bytesMax / 2);
});

test('a ring with one event has its bytes, and one too large for it has none', () => {
  const ring = createProjectRing(0, large);
  ring.append(1, () => bigFrame(1));
  expect(ring.bytes).toBe(frameBytes);

  ring.append(2, () => Buffer.alloc(large.bytesMax + 1));
  expect([ring.from, ring.last, ring.bytes, ring.after(1, 100)]).toEqual([2, 2, 0, null]);
});
