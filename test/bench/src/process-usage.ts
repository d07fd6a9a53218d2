import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Linux counts CPU time in these. */
const ticksPerSecond = 100;

/** CPU time a process has used so far, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name may hold blanks; the fields follow its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000;
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

/** The process that listens on a TCP port of this machine; null where none that may be read does. */
export function listenerOn(port: number): number | null {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const listening = '0A';
  const inodes = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === listening)
      .map((fields) => `socket:[${fields[9]}]`),
  );
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => socketsOf(pid).some((socket) => inodes.includes(socket)));
  return found === undefined ? null : Number(found);
}

/** Of a process that may be read, else none. */
function socketsOf(pid: string): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`));
  } catch {
    return [];
  }
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
