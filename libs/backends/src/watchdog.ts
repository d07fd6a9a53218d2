import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

export interface Watchdog {
  /** The watched processes ended in another way: let go of them. */
  dismiss(): void;
}

/**
 * Waits for the end of its standard input, which the system closes however this process ends, even
 * by SIGKILL. Then it asks the group to stop, ends it after 5 s, and removes the folder if one was
 * named. It runs in a session of its own, where a Ctrl-C meant for us does not reach it.
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

/** Ends a process group (and removes a folder) as soon as this process is gone. */
export function watchGroup(groupId: number, folderToRemove: string | null): Watchdog {
  const args = ['-c', script, 'inventory-watchdog', String(groupId), folderToRemove ?? ''];
  const shell = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => {
    // Without a shell only the orphan clean-up at the next start is left.
  });
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return { dismiss: () => shell.kill('SIGKILL') };
}
