import type { TypedCollection } from '@inventory/mongo/typed-collection';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { RefreshDocument, RefreshTimes } from './refresh-document.ts';
import { createAppendedEvents } from './refresh-store.ts';

const times = only<RefreshTimes>({ retention: { terminalMs: 1_000, refusedMs: 1 } });

test('events that are reported together are recorded by one write, and each report waits for it (architecture: step 13)', async () => {
  const writes: unknown[][] = [];
  const stored = Promise.withResolvers<void>();
  const refreshes = {
    updateMany: async (...write: unknown[]) => {
      writes.push(write);
      await stored.promise;
    },
  } as unknown as TypedCollection<RefreshDocument>;
  const clock = createTestClock(0);
  const appended = createAppendedEvents(refreshes, clock, times);
  const recorded: string[] = [];

  const all = ['one', 'two', 'one'].map(async (id) => {
    await appended.add(id);
    recorded.push(id);
  });
  stored.resolve();
  await Promise.all(all);

  expect(writes).toEqual([
    [
      { _id: { $in: ['one', 'two', 'one'] }, phase: 'completed', eventAppended: false },
      {
        $set: { eventAppended: true, expireAt: new Date(1_000) },
        $unset: { work: '' },
        $inc: { version: 1 },
      },
    ],
  ]);
  expect(recorded).toHaveLength(3);
});

test('a report whose write fails is reported again: its record is not committed', async () => {
  const refreshes = {
    updateMany: () => Promise.reject(new Error('the store is unavailable')),
  } as unknown as TypedCollection<RefreshDocument>;
  const appended = createAppendedEvents(refreshes, createTestClock(0), times);

  await expect(appended.add('one')).rejects.toThrow('unavailable');
});
