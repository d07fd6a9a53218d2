import type { ChildProcess } from 'node:child_process';

/** A benchmark that does not end leaves its servers running: they end with this process at the latest. */
export function endWithProcess(child: ChildProcess): void {
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}
