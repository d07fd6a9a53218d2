import { inspect } from 'node:util';
import { withDeadline } from '@inventory/runtime/wait';
import type { BenchContext, Benchmark, BenchOptions } from './benchmark.ts';
import { couldNotRun, type Row } from './row.ts';

export interface Limits {
  readonly allMs: number;
  readonly oneMs: number;
}

/**
 * One after another. One that fails, or has not ended in time, is a missed row; so is one with a
 * failure that nothing waits for, which would end the process.
 */
export async function measureEach(
  chosen: readonly Benchmark[],
  context: BenchOptions | BenchContext,
  { allMs, oneMs }: Limits,
): Promise<Row[]> {
  const rows: Row[] = [];
  const endMs = performance.now() + allMs;
  for (const benchmark of chosen) {
    context.say(`== ${benchmark.name}`);
    try {
      const leftMs = Math.min(oneMs, endMs - performance.now());
      rows.push(...(await measureOne(benchmark, context, leftMs)));
    } catch (error) {
      context.say(`${benchmark.name} could not run: ${inspect(error)}`);
      rows.push(couldNotRun(benchmark.name));
    }
  }
  return rows;
}

async function measureOne(
  benchmark: Benchmark,
  context: BenchOptions | BenchContext,
  leftMs: number,
): Promise<Row[]> {
  if ('runWithoutBackends' in benchmark) return benchmark.runWithoutBackends(context);
  if (!('backends' in context)) return [];
  // It would start servers only to leave them running.
  if (leftMs <= 0) throw new Error('no time is left');
  const unhandled = Promise.withResolvers<never>();
  process.on('unhandledRejection', unhandled.reject);
  try {
    const measured = Promise.race([benchmark.run(context), unhandled.promise]);
    return await withDeadline(measured, leftMs, benchmark.name);
  } finally {
    process.off('unhandledRejection', unhandled.reject);
  }
}
