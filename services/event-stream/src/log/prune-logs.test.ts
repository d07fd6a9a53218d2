import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { OldEntry } from './log-document.ts';
import { prunable } from './prune-logs.ts';

const entry = (position: number, atMs: number): OldEntry => ({
  _id: `prj/${position}`,
  projectId: 'prj_01900000-0000-7000-8000-000000000000',
  position,
  event: { id: `evt_${position}` },
  appendedAtMs: atMs,
});

test('pruned entries are old, contiguous from the front, and never the newest (Events: kept log) [events-kept-log]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 12 }),
      fc.integer({ min: 0, max: 100 }),
      (times, cutoff) => {
        const front = times.map((time, index) => entry(index + 1, time));
        const pruned = prunable(front, cutoff);

        expect(pruned).toEqual(front.slice(0, pruned.length));
        expect(pruned.length).toBeLessThan(Math.max(1, front.length));
        expect(pruned.every(({ appendedAtMs }) => appendedAtMs < cutoff)).toBe(true);
        const next = front[pruned.length];
        const isNewest = pruned.length === front.length - 1;
        if (next && !isNewest) expect(next.appendedAtMs).toBeGreaterThanOrEqual(cutoff);
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});
