import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { cpuMs } from './process-usage.ts';

/** Linux counts CPU time in these. */
const msPerTick = 10;
/** Columns of `/proc/stat` in which a core does nothing. */
const idleColumns = [3, 4];

/**
 * Starts to count CPU time. The function that it returns answers the share of the machine that each
 * process has used since, and that of everything else, Kafka and MongoDB included.
 */
export function watchMachine(
  processes: Readonly<Record<string, number>>,
): () => Readonly<Record<string, number>> {
  const used = () => Object.entries(processes).map(([name, pid]) => [name, cpuMs(pid)] as const);
  const before = new Map(used());
  const beforeMs = busyMs();
  const startMs = performance.now();
  return () => {
    const availableMs = (performance.now() - startMs) * availableParallelism();
    const own = used().map(([name, ms]) => [name, ms - (before.get(name) ?? 0)] as const);
    const others = busyMs() - beforeMs - own.reduce((sum, [, ms]) => sum + ms, 0);
    const all = [...own, ['everything else', others] as const];
    return Object.fromEntries(all.map(([name, ms]) => [name, ms / availableMs]));
  };
}

function busyMs(): number {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = all.split(/\s+/).slice(1, 9).map(Number);
  const busy = ticks.filter((_ticks, column) => !idleColumns.includes(column));
  return busy.reduce((sum, some) => sum + some, 0) * msPerTick;
}
