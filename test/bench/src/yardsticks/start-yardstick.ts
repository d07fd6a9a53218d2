import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endWithProcess } from '../end-with-process.ts';

/** A yardstick process: it receives its settings and replies once it is ready. */
export interface Yardstick {
  /** What it said when it was ready, such as its address. */
  readonly ready: string;
  readonly pid: number;
  /** Sends a message without a reply. */
  tell(message: object): void;
  /** Sends a message and waits for the reply. */
  ask<Reply>(message: object): Promise<Reply>;
  stop(): Promise<void>;
}

/** Starts `yardsticks/<name>.js` with these arguments. */
export async function startYardstick(name: string, args: readonly string[]): Promise<Yardstick> {
  const child: ChildProcess = fork(join(__dirname, `${name}.js`), [...args], {
    stdio: 'inherit',
    // Of bare kafkajs, which computes them.
    execArgv: [...process.execArgv, '--disable-warning=TimeoutNegativeWarning'],
  });
  endWithProcess(child);
  const [ready] = (await once(child, 'message')) as [string];
  return {
    ready,
    pid: child.pid ?? -1,
    tell: (message) => void child.send(message),
    async ask<Reply>(message: object) {
      const replied = once(child, 'message');
      child.send(message);
      const [reply] = (await replied) as [Reply];
      return reply;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
