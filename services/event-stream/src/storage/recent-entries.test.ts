import { newProjectId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createRecentEntries } from './recent-entries.ts';

const projectId = newProjectId();

type Entry = ReturnType<typeof entryAt>;
const entryAt = (position: number) => ({ projectId, position });

test('what follows a position is without a gap, whatever other replicas append in between, and bounded (Events: webhooks)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 300 }),
      fc.nat(400),
      (steps, position) => {
        const recent = createRecentEntries<Entry>();
        let last = 0;
        for (const step of steps) {
          last += step;
          recent.add(entryAt(last));
        }

        const found = recent.after(projectId, position).map((entry) => entry.position);

        expect(found).toEqual(found.map((_position, index) => position + 1 + index));
        expect(found.at(-1) ?? last).toBe(last);
        expect(found.length).toBeLessThanOrEqual(100);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test('entries that this replica appended one after the other are all found, the latest hundred of them (Events: webhooks)', () => {
  const recent = createRecentEntries<Entry>();
  for (let position = 1; position <= 150; position += 1) recent.add(entryAt(position));

  expect(recent.after(projectId, 50)).toHaveLength(100);
  expect(recent.after(projectId, 49)).toEqual([]);
  expect(recent.after(projectId, 150)).toEqual([]);
  expect(recent.after(newProjectId(), 0)).toEqual([]);
});
