import { readFileSync, writeFileSync } from 'node:fs';
import type { Stack } from '@inventory/local-stack/stack';

/** Linux counts CPU time in these. */
const ticksPerSecond = 100;

/** CPU time a process has used so far, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name may hold blanks; the fields follow its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000;
}

/** CPU time of each replica while something is done. */
export async function cpuDuring<Result>(
  { services }: Pick<Stack, 'services'>,
  work: () => Promise<Result>,
): Promise<[Result, ReadonlyMap<string, number>]> {
  const used = () =>
    services.map(({ name, pid }) => [name, pid === null ? Number.NaN : cpuMs(pid)] as const);
  const before = new Map(used());
  const result = await work();
  return [result, new Map(used().map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]))];
}

/** From here on {@link peakMemoryMb} is the most that a process has resident. */
export function forgetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Most memory a process ever had resident, in MB. */
export function peakMemoryMb(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) / 1_024;
}

/** Memory a process has resident now, in MB. */
export function residentMb(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) / 1_024;
}

/** The same, with each page that several processes share divided among them, in MB. */
export function proportionalMb(pid: number): number {
  const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) / 1_024;
}

/** Files and sockets that a process started here may have open. */
export function openFilesMax(): number {
  const match = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return Number(match?.[1] ?? Number.POSITIVE_INFINITY);
}

/** Files that a process has open beside its streams; Nchan has most. */
const otherFiles = 2_000;

/** Streams that one process started here can hold. */
export const streamsMax = (): number => openFilesMax() - otherFiles;
