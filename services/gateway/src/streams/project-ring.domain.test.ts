import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createProjectRing } from './project-ring.domain.ts';

const frameOf = (position: number) => Buffer.from(`<${position}>`);
const limits = { entriesMax: 8, bytesMax: 100 };

test('whatever comes in, a ring gives what follows a position without gap, or says that it cannot (Events) [events-gapless]', () => {
  fc.assert(
    fc.property(
      fc.nat(20),
      fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 40 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 30 }),
      (head, jumps, position, bytesMax) => {
        const ring = createProjectRing(head, limits);
        let last = head;
        const results = jumps.map((jump) => {
          const next = last + jump;
          if (jump === 1) last = next;
          return ring.append({ position: next, frame: frameOf(next) });
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

test('connections at one position are given the same buffer, and a new one after the next event', () => {
  const ring = createProjectRing(0, limits);
  for (const position of [1, 2, 3]) ring.append({ position, frame: frameOf(position) });

  const first = ring.after(1, 1_000);
  expect(ring.after(1, 1_000)).toBe(first);
  ring.append({ position: 4, frame: frameOf(4) });

  expect(ring.after(1, 1_000)?.bytes.toString()).toBe('<2><3><4>');
});

test('a ring stays within its entries and bytes', () => {
  const ring = createProjectRing(0, limits);
  for (let position = 1; position <= 1_000; position += 1) {
    ring.append({ position, frame: frameOf(position) });
    expect(ring.last - ring.from).toBeLessThanOrEqual(limits.entriesMax);
    expect(ring.bytes).toBeLessThanOrEqual(limits.bytesMax);
  }
});
