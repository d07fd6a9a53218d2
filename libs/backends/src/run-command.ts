import { pause } from '@inventory/runtime/wait';
import type { Environment } from './environment.ts';
import { type OwnedProcess, spawnOwned } from './owned-process.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly cwd?: string;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** How long what was printed last may be on its way after the program's end. */
  readonly lastOutputMs?: number;
}

export type CommandResult =
  | { readonly kind: 'missing' }
  | { readonly kind: 'late'; readonly output: string }
  | { readonly kind: 'ended'; readonly code: number | null; readonly output: string };

const outputCharsMax = 64 * 1024;

/**
 * Runs a program to its end and keeps the last 64 KiB of what it printed. Rejects only when the
 * signal is aborted, and then the program is gone too.
 */
export async function runCommand(command: Command): Promise<CommandResult> {
  const { lastOutputMs = 500 } = command;
  command.signal?.throwIfAborted();
  let running: OwnedProcess;
  try {
    running = await spawnOwned({
      command: command.command,
      args: command.args,
      spawn: {
        cwd: command.cwd,
        env: { ...command.environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    });
  } catch {
    return { kind: 'missing' };
  }
  const closed = new Promise<void>((resolve) => {
    running.child.once('close', () => resolve());
  });
  let output = '';
  const keep = (chunk: unknown): void => {
    output = (output + String(chunk)).slice(-outputCharsMax);
  };
  running.child.stdout?.on('data', keep);
  running.child.stderr?.on('data', keep);
  const end = (): void => running.signal('SIGKILL');
  command.signal?.addEventListener('abort', end, { once: true });
  if (command.signal?.aborted) end();
  try {
    const inTime = await running.untilEnd(command.deadlineMs);
    if (!inTime) end();
    const { code } = await running.ended;
    // What it printed last may still be on its way; a grandchild may hold the pipe for ever.
    const printed = new AbortController();
    await Promise.race([closed, pause(lastOutputMs, printed.signal)]);
    printed.abort();
    command.signal?.throwIfAborted();
    return inTime ? { kind: 'ended', code, output } : { kind: 'late', output };
  } finally {
    command.signal?.removeEventListener('abort', end);
  }
}
