import type { BenchContext, Benchmark } from './benchmark.ts';
import { measureEach } from './measure-each.ts';
import { isMissed, type Row, reported } from './row.ts';

const context = { quick: true, seed: 1, say: () => {}, backends: {} } as unknown as BenchContext;
const hourMs = 3_600_000;

function benchmark(name: string, run: () => Promise<Row[]>): Benchmark {
  return { name, run };
}
const measured = (name: string) => benchmark(name, async () => [reported(name, 1, 's')]);

const outcomes = (rows: readonly Row[]) =>
  rows.map((row) => `${row.name}${isMissed(row) ? ', missed' : ''}`);

test('a benchmark that fails or does not end is a missed row, and the others have their own', async () => {
  const chosen = [
    measured('first'),
    benchmark('broken', () => Promise.reject(new Error('no server'))),
    benchmark('hanging', () => new Promise(() => {})),
    measured('last'),
  ];

  const rows = await measureEach(chosen, context, { allMs: hourMs, oneMs: 20 });

  expect(outcomes(rows)).toEqual([
    'first',
    'broken: could not run, missed',
    'hanging: could not run, missed',
    'last',
  ]);
});

test('a failure that nothing waits for misses its own row only', async () => {
  // The test runner's own listeners would fail the test.
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const unheard = benchmark('unheard', () => {
    process.emit('unhandledRejection', new Error('refused'), Promise.resolve());
    return new Promise(() => {});
  });

  const limits = { allMs: hourMs, oneMs: hourMs };
  const rows = await measureEach([unheard, measured('last')], context, limits).finally(() => {
    for (const listener of listeners) process.on('unhandledRejection', listener);
  });

  expect(outcomes(rows)).toEqual(['unheard: could not run, missed', 'last']);
});

test('once the time is over no server is started, and what needs none is still measured', async () => {
  const run = jest.fn(async () => []);
  const chosen: Benchmark[] = [
    benchmark('late', run),
    { name: 'turns', runWithoutBackends: () => [reported('turns', 1, 's')] },
  ];

  const rows = await measureEach(chosen, context, { allMs: 0, oneMs: hourMs });

  expect(run).not.toHaveBeenCalled();
  expect(outcomes(rows)).toEqual(['late: could not run, missed', 'turns']);
});
