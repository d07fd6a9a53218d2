import { text } from 'node:stream/consumers';
import { runCli } from './run-cli.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Its reader has enough, as in `… account list | head`.
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** The exit code is set and not forced: what was written to a pipe is still on its way. */
async function main(): Promise<void> {
  process.exitCode = await runCli({
    args: process.argv.slice(2),
    environment: process.env,
    directory: process.cwd(),
    write: (text) => process.stdout.write(text),
    readInput: () => text(process.stdin),
    writeError: (text) => process.stderr.write(text),
  });
}

void main();
