import { randomUUID } from 'node:crypto';
import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { helpText, readCommandLine } from './command-line.ts';
import { runLocalStack } from './run-local-stack.ts';
import { createScreen } from './screen.ts';
import { showDemo } from './show-demo.ts';

/** One Ctrl-C arrives twice: from the terminal, and from npm. */
const sameSignalMs = 1_000;
const exitCodes = { wrongUsage: 2, failed: 1 } as const;

async function main(): Promise<void> {
  // The reader of a pipe may end before the stack does.
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
  const signal = stopSignal();
  const options = { environment: process.env, screen, newKey: randomUUID, signal };
  const code = await (line.kind === 'show'
    ? showDemo(options)
    : runLocalStack({ ...options, demo: line.demo }));
  process.exitCode ||= code;
}

/** Aborted by the first signal. A second one exits at once; watchdogs then end every process. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let firstMs = 0;
  const onSignal = (): void => {
    if (!stopping.signal.aborted) {
      firstMs = monotonicNow();
      stopping.abort();
    } else if (elapsedSince(firstMs) > sameSignalMs) {
      process.exit(exitCodes.failed);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = exitCodes.failed;
      stopping.abort();
    });
  }
  return stopping.signal;
}

void main();
