import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

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
