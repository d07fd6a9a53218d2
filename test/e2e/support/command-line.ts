import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(__dirname, '../../../libs/cli/dist/main.js');

export interface RunningLine {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with the exit code once everything is read. */
  readonly ended: Promise<number | null>;
}

/** The command line as a customer has it: the compiled program, and a home directory of their own. */
export function openCommandLine(environment: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'command-line-'));
  const running: RunningLine[] = [];

  function commandOf(args: readonly string[]) {
    const env = { HOME: home, ...environment };
    return { command: process.execPath, args: [program, ...args], env };
  }

  function start(line: readonly string[], input?: string): RunningLine {
    const { command, args, env } = commandOf(line);
    const child = spawn(command, args, { env });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.stdin.end(input);
    const started = {
      child,
      out: () => Buffer.concat(out).toString(),
      err: () => Buffer.concat(err).toString(),
      ended: once(child, 'close').then(([code]) => code as number | null),
    };
    running.push(started);
    return started;
  }

  return {
    home,
    /** For those who start programs themselves. */
    commandOf,
    start,
    /** Runs one line to its end. */
    async run(args: readonly string[], input?: string) {
      const line = start(args, input);
      const code = await line.ended;
      return { code, out: line.out(), err: line.err() };
    },
    async close() {
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all(running.map(({ ended }) => ended));
      rmSync(home, { recursive: true });
    },
  };
}
