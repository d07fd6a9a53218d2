import { execFile } from 'node:child_process';
import type { Environment } from './environment.ts';

export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type CommandResult =
  | { readonly kind: 'missing' }
  | { readonly kind: 'late'; readonly output: string }
  | { readonly kind: 'ended'; readonly code: number | null; readonly output: string };

const outputBytesMax = 16 * 1024 * 1024;

/**
 * Runs a program to its end. `output` is standard output followed by standard error. Rejects only
 * when the signal is aborted.
 */
export function runCommand(command: ProgramCall): Promise<CommandResult> {
  const { args, cwd, environment, signal, timeoutMs } = command;
  signal?.throwIfAborted();
  const options = {
    cwd,
    env: { ...environment },
    signal,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: outputBytesMax,
  } as const;
  return new Promise((resolve, reject) => {
    execFile(command.command, [...args], options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      if (signal?.aborted) reject(signal.reason);
      else if (error === null) resolve({ kind: 'ended', code: 0, output });
      else if (error.killed) resolve({ kind: 'late', output });
      else if (typeof error.code === 'string') resolve({ kind: 'missing' });
      else resolve({ kind: 'ended', code: error.code ?? null, output });
    });
  });
}

/** What the program printed; null when it cannot be run or fails. */
export async function outputOf(command: ProgramCall): Promise<string | null> {
  const result = await runCommand(command);
  return result.kind === 'ended' && result.code === 0 ? result.output : null;
}
