import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { waitFor } from '@inventory/testkit/wait-for';

const root = resolve(__dirname, '../..');

export interface StackJson {
  readonly gateway_url: string;
  readonly operator_url: string;
  readonly operator_token: string;
  readonly simulator_url: string | null;
  readonly kafka_brokers: string;
  readonly mongodb_uri: string;
  readonly demo: { account_id: string; project_id: string; api_key: string };
  readonly services: readonly { name: string; pid: number; url: string }[];
}

/** This machine's environment, with the addresses of the test run's own backends left out. */
export function machineEnvironment(): Record<string, string | undefined> {
  const { KAFKA_BROKERS: _brokers, MONGODB_URI: _uri, ...others } = process.env;
  return others;
}

/** An npm script of the product under way. */
export interface RunningCommand {
  /** Everything it has printed. */
  output(): string;
  /** Sends the signal to npm, which forwards it. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Runs `npm run <script> -- <args>`. */
export function runCommand(
  [script = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): RunningCommand {
  const child: ChildProcess = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: root,
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return {
    output: () => output,
    signal: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}

/** Backends are fetched first where the caches are empty. */
const readyWithinMs = 600_000;

/** Waits for `stack.json`; fails with what the command printed, at once when it ended. */
export async function untilReady(command: RunningCommand, folder: string): Promise<StackJson> {
  const ended = command.ended.then((code) => {
    throw new Error(`it ended with exit code ${code}:\n${command.output()}`);
  });
  const ready = waitFor(
    'the stack is ready',
    () => (command.output().includes('Ready after') && readStackJson(folder)) || undefined,
    { withinMs: readyWithinMs, everyMs: 100 },
  ).catch((error: unknown) => {
    throw new Error(command.output(), { cause: error });
  });
  return await Promise.race([ready, ended]);
}

export function readStackJson(folder: string): StackJson | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as StackJson;
  } catch {
    return null;
  }
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
