import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child in a process group of its own that never outlives this process. */
export interface OwnedProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  hasEnded(): boolean;
  /** Sends to the whole group; does nothing after its end. */
  signal(signal: NodeJS.Signals): void;
  /** Waits at most `deadlineMs` for the end; false when the process still runs then. */
  untilEnd(deadlineMs: number): Promise<boolean>;
}

export interface OwnedProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly spawn: Pick<SpawnOptions, 'cwd' | 'env' | 'stdio' | 'uid' | 'gid'>;
  /** Removed by the watchdog when this process ends before the child. */
  readonly removeAfterDeath?: string | undefined;
}

/**
 * Does not keep this process alive. Rejects with the system's own error (ENOENT, EACCES) when the
 * command cannot be run.
 */
export async function spawnOwned(options: OwnedProcessOptions): Promise<OwnedProcess> {
  const child = spawn(options.command, [...options.args], { ...options.spawn, detached: true });
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    throw error;
  }
  const pid = child.pid;
  const watchdog = watchGroup(pid, options.removeAfterDeath ?? null);
  const ended = endOf(child, watchdog);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  child.unref();
  return {
    pid,
    ended,
    hasEnded: () => over,
    signal: (signal) => {
      if (!over) signalGroup(pid, signal);
    },
    untilEnd: (deadlineMs) => untilEnd(ended, deadlineMs),
  };
}

/** Sends to every process of a group, nothing with signal 0; false when there is no process. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch {
    return false;
  }
}

function endOf(child: ChildProcess, watchdog: Watchdog): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      watchdog.dismiss();
      resolve({ code, signal });
    });
  });
}

/** The timer keeps this process alive while it waits. */
function untilEnd(ended: Promise<ProcessEnd>, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => resolve(false), deadlineMs);
    void ended.then(() => {
      clearTimeout(timeout);
      resolve(true);
    });
  });
}

export interface Watchdog {
  /** The group has ended: the watchdog ends too. */
  dismiss(): void;
}

/**
 * Waits for the end of its standard input, which the system closes however this process ends, even
 * by SIGKILL. Then it stops the process group by SIGTERM, ends it by SIGKILL after 5 s, and removes
 * the directory if one is named. It has a session of its own, which a Ctrl-C does not reach.
 */
const script = `
trap '' HUP INT TERM
while read -r _; do :; done
kill -s TERM -- "-$1" 2>/dev/null
for _ in 1 2 3 4 5; do
  kill -s 0 -- "-$1" 2>/dev/null || break
  sleep 1
done
kill -s KILL -- "-$1" 2>/dev/null
if [ -n "$2" ]; then
  rm -rf -- "$2"
  rmdir "$(dirname "$2")" 2>/dev/null
fi
`;

/** Ends a process group, and removes a directory, when this process ends. */
export function watchGroup(groupId: number, directoryToRemove: string | null): Watchdog {
  const args = ['-c', script, 'inventory-watchdog', String(groupId), directoryToRemove ?? ''];
  const shell = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // Without a shell nothing ends the group of a process that was killed.
  shell.on('error', () => {});
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return { dismiss: () => shell.kill('SIGKILL') };
}
