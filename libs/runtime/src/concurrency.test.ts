import { setImmediate as endOfTick } from 'node:timers/promises';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { Bug } from './bug.ts';
import { BatcherFull, createBatcher, forEachLimited } from './concurrency.ts';

/** Work that the test completes. */
function openGate() {
  const opened = Promise.withResolvers<void>();
  return { passed: opened.promise, open: opened.resolve, fail: opened.reject };
}

describe('a limited loop', () => {
  test('runs every item once and never more than the limit at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.uniqueArray(fc.integer(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        async (scheduler, items, limit) => {
          const done: number[] = [];
          let atOnce = 0;
          let mostAtOnce = 0;
          const loop = forEachLimited(items, limit, async (item) => {
            atOnce += 1;
            mostAtOnce = Math.max(mostAtOnce, atOnce);
            await scheduler.schedule(Promise.resolve());
            atOnce -= 1;
            done.push(item);
          });
          await scheduler.waitFor(loop);

          expect(done.toSorted()).toEqual(items.toSorted());
          expect(mostAtOnce).toBe(Math.min(limit, items.length));
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });

  test('rejects only when no item is running, and starts none after a failure', async () => {
    const slow = openGate();
    const begun: string[] = [];
    let rejection: string | undefined;
    const loop = forEachLimited(['failing', 'slow', 'never'], 2, async (item) => {
      begun.push(item);
      if (item === 'failing') throw new Error('first');
      await slow.passed;
      throw new Error('second');
    }).catch((error: Error) => {
      rejection = error.message;
    });
    await endOfTick();
    expect(rejection).toBeUndefined();

    slow.open();
    await loop;

    expect(rejection).toBe('first');
    expect(begun).toEqual(['failing', 'slow']);
  });

  test('with a limit of 0 throws', async () => {
    await expect(forEachLimited([1], 0, async () => {})).rejects.toThrow(Bug);
  });
});

describe('a batcher', () => {
  test('keeps the order, loses nothing, flushes as many batches at a time as it may', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 3 }),
        fc.func(fc.boolean()),
        async (scheduler, callers, itemsMax, waitingMax, flushesMax, fails) => {
          const flushed: number[] = [];
          const failed = new Set<number>();
          let flushing = 0;
          const batcher = createBatcher<number, number>({
            itemsMax,
            waitingMax,
            flushesMax,
            flush: async (items) => {
              flushing += 1;
              expect(flushing).toBeLessThanOrEqual(flushesMax);
              expect(items.length).toBeGreaterThanOrEqual(1);
              expect(items.length).toBeLessThanOrEqual(itemsMax);
              flushed.push(...items);
              await scheduler.schedule(Promise.resolve());
              flushing -= 1;
              if (fails(items[0])) {
                for (const item of items) failed.add(item);
                throw new Error('store away');
              }
              return items.map((item) => item * 2);
            },
          });
          const added: number[] = [];
          const refused: number[] = [];
          const results = Array.from({ length: callers }, (_, item) =>
            scheduler.schedule(Promise.resolve()).then(async () => {
              try {
                added.push(item);
                expect(batcher.waiting).toBeLessThanOrEqual(waitingMax);
                return [item, await batcher.add(item)] as const;
              } catch (error) {
                if (!(error instanceof BatcherFull)) return [item, 'failed'] as const;
                refused.push(item);
                return [item, 'refused'] as const;
              }
            }),
          );

          for (const [item, result] of await scheduler.waitFor(Promise.all(results))) {
            if (refused.includes(item)) expect(result).toBe('refused');
            else expect(result).toBe(failed.has(item) ? 'failed' : item * 2);
          }
          expect(flushed).toEqual(added.filter((item) => !refused.includes(item)));
          expect(batcher.waiting).toBe(0);
        },
      ),
      { numRuns: propertyRuns(150) },
    );
  });

  test('flushes a single item at the end of the tick and items added meanwhile as one batch', async () => {
    const gate = openGate();
    const batches: number[][] = [];
    const batcher = createBatcher<number, undefined>({
      itemsMax: 100,
      waitingMax: 100,
      flush: async (items) => {
        batches.push([...items]);
        if (batches.length === 1) await gate.passed;
        return items.map(() => undefined);
      },
    });

    const first = batcher.add(1);
    await endOfTick();
    const others = [2, 3, 4].map((item) => batcher.add(item));
    expect(batches).toEqual([[1]]);
    gate.open();
    await Promise.all([first, ...others]);

    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  test('with more than one flush at a time, one that hangs does not delay the others', async () => {
    const gate = openGate();
    const batches: string[][] = [];
    const batcher = createBatcher<string, undefined>({
      ...{ itemsMax: 10, waitingMax: 100, flushesMax: 2 },
      flush: async (items) => {
        batches.push([...items]);
        if (items.includes('hanging')) await gate.passed;
        return items.map(() => undefined);
      },
    });
    const hanging = batcher.add('hanging');
    await endOfTick();

    await Promise.all([batcher.add('a'), batcher.add('b')]);
    await batcher.add('c');

    expect(batches).toEqual([['hanging'], ['a', 'b'], ['c']]);
    gate.open();
    await Promise.all([hanging, batcher.idle()]);
  });

  test('is idle when everything added so far is flushed, failures included', async () => {
    const gate = openGate();
    let flushes = 0;
    const batcher = createBatcher<number, undefined>({
      itemsMax: 1,
      waitingMax: 10,
      flush: async () => {
        await gate.passed;
        flushes += 1;
        throw new Error('no');
      },
    });
    const added = Promise.allSettled([batcher.add(1), batcher.add(2)]);

    gate.open();
    await batcher.idle();

    expect(flushes).toBe(2);
    expect((await added).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await batcher.idle();
  });
});
