import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in the words of the operating system: only ever compared for equality. */
  readonly startedAt: string;
}

/** The running process with this number; null when there is none (a zombie counts as none). */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** Reads what was stored by JSON.stringify; null for anything else. */
export function parseProcessIdentity(text: string): ProcessIdentity | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    if (!('pid' in value) || !('startedAt' in value)) return null;
    const { pid, startedAt } = value;
    if (!Number.isSafeInteger(pid) || typeof pid !== 'number' || pid <= 1) return null;
    return typeof startedAt === 'string' ? { pid, startedAt } : null;
  } catch {
    return null;
  }
}

function startOnLinux(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name in parentheses may hold spaces and parentheses; state is the first field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === undefined || startTicks === undefined) return null;
  return state === 'Z' || state === 'X' ? null : startTicks;
}

function startByPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state, ...start] = line.split(/\s+/);
    return state === undefined || state.startsWith('Z') ? null : start.join(' ');
  } catch {
    return null;
  }
}
