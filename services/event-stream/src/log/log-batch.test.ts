import type { ProjectId } from '@inventory/contracts/ids';
import { newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type ReadLog, toLogBatch } from './log-batch.ts';
import type { KeptEntry } from './project-log-store.ts';

const projectId: ProjectId = newProjectId();

function entryAt(position: number): KeptEntry {
  const fields = { type: 'inventory.later.type', occurredAtMs: 0 };
  const event = { id: `evt_${newRefreshId()}` as const, ...fields, refreshId: null, json: '{}' };
  return { projectId, logEpoch: 1, position, event, appendedAtMs: position };
}

const entries = Array.from({ length: 13 }, (_none, position) => entryAt(position));

/** Entries that a read sees while those before `front` are deleted in any order. */
function readDuringPruning(front: number, survivors: readonly boolean[], appendedTo: number) {
  return entries.filter(
    ({ position }) =>
      position > 0 && position <= appendedTo && (position >= front || survivors[position] === true),
  );
}

test('a batch read while its front is pruned sends the reader to recovery and never skips an entry (Events: kept log) [events-kept-log]', () => {
  fc.assert(
    fc.property(
      fc.nat(8),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }),
      fc.integer({ min: 9, max: 12 }),
      fc.boolean(),
      (after, front, survivors, appendedTo, isOldestReadFirst) => {
        const seen = readDuringPruning(front, survivors, appendedTo);
        const oldest = isOldestReadFirst ? entries[1] : entries[front];
        const items = seen.filter(({ position }) => position > after);
        const read: ReadLog = { logEpoch: 1, after, head: 9, oldest, items };

        const batch = toLogBatch(read);

        const positions = batch.items.map(({ position }) => position);
        const first = positions[0] ?? batch.headPosition + 1;
        expect(positions).toEqual(positions.map((_position, index) => first + index));
        // A reader continues only with the entry after its position, or is sent to recovery.
        const continues = batch.earliestPosition <= after + 1;
        if (continues && positions.length > 0) expect(first).toBe(after + 1);
        if (!continues) expect(first).toBe(batch.earliestPosition);
      },
    ),
    { numRuns: propertyRuns(1_000) },
  );
});
