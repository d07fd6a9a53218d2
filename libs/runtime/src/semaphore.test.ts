import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { Bug } from './bug.ts';
import {
  createKeyedSemaphore,
  createSemaphore,
  createSemaphorePerKey,
  SemaphoreFull,
} from './semaphore.ts';

describe('a semaphore', () => {
  test('runs all work, never more at a time than it has permits, in the order of the requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async (scheduler, fails, permits) => {
          const semaphore = createSemaphore(permits);
          const begun: number[] = [];
          let running = 0;
          let mostRunning = 0;
          const all = fails.map((isFailing, index) =>
            semaphore.run(async () => {
              begun.push(index);
              running += 1;
              mostRunning = Math.max(mostRunning, running);
              await scheduler.schedule(Promise.resolve());
              running -= 1;
              if (isFailing) throw new Error(`work ${index}`);
            }),
          );
          const results = await scheduler.waitFor(Promise.allSettled(all));

          expect(results.map(({ status }) => status === 'rejected')).toEqual(fails);
          expect(begun).toEqual(fails.map((_, index) => index));
          expect(mostRunning).toBe(Math.min(permits, fails.length));
        },
      ),
      { numRuns: propertyRuns(100) },
    );
  });

  test('counts a release once', async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire();
    release();
    release();
    await semaphore.acquire();
    let isGranted = false;

    void semaphore.acquire().then(() => {
      isGranted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));

    expect(isGranted).toBe(false);
  });

  test('grants nothing to a request that was aborted, and its slot to the one after it', async () => {
    const semaphore = createSemaphore(1, 2);
    const release = await semaphore.acquire();
    const left = new AbortController();
    const abandoned = semaphore.acquire(left.signal);
    const next = semaphore.acquire();
    await expect(semaphore.acquire()).rejects.toThrow(SemaphoreFull);

    left.abort(new Error('the client left'));
    await expect(abandoned).rejects.toThrow('the client left');
    // The slot of the abandoned request is free at once.
    const last = semaphore.acquire(new AbortController().signal);
    release();
    (await next)();
    (await last)();

    await expect(semaphore.acquire(left.signal)).rejects.toThrow('the client left');
    await semaphore.acquire();
  });

  test('without permits is refused as a bug', () => {
    expect(() => createSemaphore(0)).toThrow(Bug);
  });
});

test('a keyed semaphore refuses past its limit per key and in all, and counts a release once', () => {
  const limits = { perKeyMax: 2, totalMax: 3 };
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), releases: fc.nat({ max: 3 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const semaphore = createKeyedSemaphore<string>(limits);
      const permits: { key: string; release: () => void }[] = [];
      for (const { key, releases } of steps) {
        const ofKey = permits.filter((held) => held.key === key).length;
        const permit = semaphore.acquire(key);
        if (permits.length === limits.totalMax) {
          expect(permit).toEqual({ result: 'total_full' });
        } else if (ofKey === limits.perKeyMax) {
          expect(permit).toEqual({ result: 'key_full' });
        } else if (permit.result === 'granted') {
          permits.push({ key, release: permit.release });
        }
        for (const { release } of permits.splice(0, releases)) {
          release();
          release();
        }
        expect(semaphore.held).toBe(permits.length);
      }
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('work waits for that of its own key alone, as much of it as may, and a key without any is forgotten', async () => {
  const semaphores = createSemaphorePerKey<string>(1, 1);
  const held = Promise.withResolvers<string>();
  const ran: string[] = [];
  const run = (key: string, work: () => Promise<string>) =>
    semaphores.run(key, () => {
      ran.push(key);
      return work();
    });
  const first = run('a', () => held.promise);
  const second = run('a', async () => 'second');

  await expect(run('a', async () => 'third')).rejects.toThrow(SemaphoreFull);
  expect(await run('b', async () => 'other')).toBe('other');
  expect(ran).toEqual(['a', 'b']);
  held.reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  expect(await second).toBe('second');
  expect(await run('a', async () => 'again')).toBe('again');
});
