import { CommanderError } from 'commander';
import { type CliProcess, type ExitCode, exitCodes } from './cli-process.ts';
import { createProgram } from './create-program.ts';
import { createPrinter } from './printer.ts';
import { fail } from './session.ts';

/** Runs one command; resolves with its exit code. */
export async function runCli(cli: CliProcess): Promise<ExitCode> {
  const { args, signal, writeError } = cli;
  if (args.some((arg) => /\binv_[0-9A-Za-z]/.test(arg))) {
    writeError(
      'usage: a key must not be an argument, which others can read: see inventory login\n',
    );
    return exitCodes.usage;
  }
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(cli, (code) => {
    exitCode = Math.max(exitCode, code);
  });
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const printer = createPrinter(cli, args.includes('--json'));
    return fail(printer, signal.aborted ? signal.reason : error);
  }
}
