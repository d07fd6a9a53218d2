#!/usr/bin/env node
import { once } from 'node:events';
import { homedir } from 'node:os';
import { setTimeout as timer } from 'node:timers/promises';
import { type CliProcess, exitCodes, Interrupted } from './cli-process.ts';
import { promptKey } from './prompt-key.ts';
import { runCli } from './run-cli.ts';

const { stdin, stdout, stderr } = process;
const interruption = new AbortController();
const { signal } = interruption;
const writeError: CliProcess['writeError'] = (text) => void stderr.write(text);

// The second signal ends the program at once.
process.once('SIGINT', () => interruption.abort(new Interrupted(130)));
process.once('SIGTERM', () => interruption.abort(new Interrupted(143)));
stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // Its reader has enough.
  if (code === 'EPIPE') process.exit(exitCodes.done);
  writeError(`failed: the output cannot be written: ${code}\n`);
  process.exit(exitCodes.unfinished);
});
// The results do not depend on who reads the notes.
stderr.on('error', () => undefined);

/** The exit code is set and not forced: what was written to a pipe is still on its way. */
async function main(): Promise<void> {
  process.exitCode = await runCli({
    args: process.argv.slice(2),
    environment: process.env,
    homeDirectory: homedir(),
    async write(data) {
      if (!stdout.write(data)) await once(stdout, 'drain');
    },
    writeError,
    columns: () => (stdout.isTTY ? stdout.columns : undefined),
    errorColumns: () => (stderr.isTTY ? stderr.columns : undefined),
    promptKey: () => promptKey({ input: stdin, writeError, signal }),
    openTransport: async () =>
      (await import('./mcp/stdio-transport.ts')).openStdioTransport(stdin, stdout),
    nowMs: Date.now,
    async pause(ms) {
      await timer(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    signal,
  });
}

void main();
