import { randomUUID } from 'node:crypto';
import { monotonicNow } from '@inventory/runtime/clock';
import { helpText, readCommandLine } from './command-line.ts';
import { runLocalStack } from './run-local-stack.ts';
import { createScreen } from './screen.ts';
import { showDemo } from './show-demo.ts';

const hurryMs = 5_000;
/** One Ctrl-C arrives twice: from the terminal, and from npm. */
const sameSignalMs = 1_000;
const exitCodes = { wrongUsage: 2, failed: 1 } as const;

async function main(): Promise<void> {
  // Whoever read our lines may have gone; the stack goes on until it is told to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const line = readCommandLine(process.argv.slice(2));
  if (line.kind === 'help' || line.kind === 'wrong') {
    if (line.kind === 'wrong') {
      process.stderr.write(`${line.problem}\n\n`);
      process.exitCode = exitCodes.wrongUsage;
    }
    process.stdout.write(helpText);
    return;
  }
  const screen = createScreen({
    write: (text) => process.stdout.write(text),
    colours: process.stdout.isTTY === true && !process.env['NO_COLOR'],
  });
  const stopping = new AbortController();
  const hurrying = new AbortController();
  let stoppingMs = 0;
  const onSignal = (): void => {
    if (!stopping.signal.aborted) {
      stoppingMs = monotonicNow();
      stopping.abort();
      return;
    }
    if (monotonicNow() - stoppingMs < sameSignalMs) return;
    hurrying.abort();
    // Watchdogs end whatever is left then.
    setTimeout(() => process.exit(exitCodes.failed), hurryMs).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = exitCodes.failed;
      stopping.abort();
    });
  }
  const options = {
    environment: process.env,
    screen,
    newKey: randomUUID,
    signal: stopping.signal,
    hurry: hurrying.signal,
  };
  const code = await (line.kind === 'show'
    ? showDemo(options)
    : runLocalStack({ ...options, demo: line.demo }));
  process.exitCode ||= code;
}

void main();
