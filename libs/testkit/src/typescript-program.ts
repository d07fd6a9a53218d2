import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

export interface ProgramOptions {
  /** A TypeScript source, run directly. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Files instead of its outputs, which are then not read here. */
  readonly standardOutput?: number;
  readonly standardError?: number;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A separate process, for what is observed from outside: signals, crashes, idle load. */
export interface Program {
  readonly pid: number;
  /** Its output so far, standard error included. */
  output(): string;
  /** Resolves with the first line that matches. */
  line(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<ProgramEnd>;
}

const typescriptHook = join(__dirname, '../typescript-hook.cjs');

/** Starts a program of the test under the same Node; the test stops it. */
export function startProgram(options: ProgramOptions): Program {
  const child = spawn(
    process.execPath,
    [
      '--conditions=@inventory/source',
      '--require',
      typescriptHook,
      options.file,
      ...(options.args ?? []),
    ],
    {
      env: { ...process.env, ...options.environment },
      stdio: ['ignore', options.standardOutput ?? 'pipe', options.standardError ?? 'pipe'],
    },
  );
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
  }
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? -1,
    output: () => written,
    line: (pattern) =>
      waitFor(`the program writes ${pattern}; it wrote: ${written}`, () =>
        written.split('\n').find((line) => pattern.test(line)),
      ),
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
  };
}
