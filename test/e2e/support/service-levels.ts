import { readFileSync } from 'node:fs';
import type { ServiceName } from '@inventory/contracts/topics';
import { pause } from '@inventory/runtime/wait';
import type { TestStack } from './test-stack.ts';

/** Memory and CPU of each service. */
export interface Level {
  readonly service: ServiceName;
  readonly residentMb: number;
  /** Part of one core. */
  readonly cpu: number;
}

const windowMs = 3_000;
/** Linux counts CPU time in these. */
const msPerTick = 10;

/** Over some seconds. */
export async function readLevels(stack: TestStack): Promise<readonly Level[]> {
  const before = stack.services.map(({ pid }) => cpuMs(pid));
  const startMs = performance.now();
  await pause(windowMs);
  const tookMs = performance.now() - startMs;
  return stack.services.map(({ pid, service }, index) => ({
    service,
    residentMb: residentMb(pid),
    cpu: (cpuMs(pid) - (before[index] ?? 0)) / tookMs,
  }));
}

function cpuMs(pid: number | null): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name may hold blanks; the fields follow its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

function residentMb(pid: number | null): number {
  const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) / 1_024;
}
