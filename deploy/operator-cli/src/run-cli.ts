import { Command, CommanderError, Option } from 'commander';
import { type CliProcess, type ExitCode, exitCodes } from './cli-process.ts';
import { checkOptions, fieldsOf, type Given, optionsOf } from './command-options.ts';
import { NoConnection } from './connection.ts';
import { describeFindSecrets, findSecrets } from './find-secrets.ts';
import { type OperatorCommand, readCommands } from './operator-commands.ts';
import { runCommand } from './run-command.ts';

const helpColumns = 100;
const afterHelp = `
Every command explains its options with --help. --json prints the response as the API gave it.
Exit codes: 0 done, 1 refused or failed (the code is on standard error), 2 wrong usage.
The operator API is OPERATOR_URL with OPERATOR_TOKEN from the environment; without them, that
of the local stack (.local/stack.json here or in a directory above).`;

/** Runs one command. Resolves with its exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export async function runCli(cli: CliProcess): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(cli);
  for (const of of readCommands()) {
    const command = addCommand(program, of);
    command.action(async (given: Given) => {
      checkOptions(command, of, { fields: fieldsOf(of, given), args: cli.args });
      if (given['all'] === true && given['csv'] !== true) {
        command.error('error: --all goes with --csv only');
      }
      exitCode = await runCommand(cli, of, given);
    });
  }
  describeFindSecrets(commandAt(program, 'credential find')).action(async (given: Given) => {
    exitCode = await findSecrets(cli, given);
  });
  try {
    await program.parseAsync(cli.args.length === 0 ? ['--help'] : cli.args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    if (!(error instanceof NoConnection)) throw error;
    cli.writeError(`${error.message}\n`);
    return exitCodes.usage;
  }
}

function createProgram(cli: CliProcess): Command {
  return new Command('npm run -s operator --')
    .description('Manages customers, their Credentials and their credits.')
    .exitOverride()
    .configureOutput({
      writeOut: cli.write,
      writeErr: cli.writeError,
      getOutHelpWidth: () => helpColumns,
      getErrHelpWidth: () => helpColumns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      visibleCommands: commandsBelow,
      subcommandTerm: (command) => wordsOf(command).join(' '),
      optionDescription: ({ description, mandatory }) =>
        mandatory ? `${description} (required)` : description,
    })
    .showHelpAfterError()
    .addHelpText('after', afterHelp);
}

function addCommand(program: Command, of: OperatorCommand): Command {
  const { words, summary, description, fields, hasCsv, irreversible } = of;
  const required = fields.filter(({ isRequired }) => isRequired);
  const options = required.flatMap((field) => optionsOf(field)[0]?.flags ?? []);
  const command = commandAt(program, words)
    .summary(summary)
    .description(`${summary}.\n\n${description}`)
    .usage([...options, '[options]'].join(' '));
  for (const option of fields.flatMap(optionsOf)) command.addOption(option);
  if (hasCsv) {
    command.option('--csv', 'As CSV.');
    command.option('--all', 'With --csv: all of it, not one part.');
  }
  if (irreversible !== undefined) {
    command.option('--yes', 'Do it: it cannot be taken back.');
    command.option('--dry-run', 'Show what would be done, and do nothing.');
  }
  return command;
}

/** A new command of these words, below its noun. */
function commandAt(program: Command, words: string): Command {
  const [noun = '', name] = words.split(' ');
  const parent =
    name === undefined
      ? program
      : (program.commands.find((command) => command.name() === noun) ?? program.command(noun));
  const json = new Option('--json', "Print the API's JSON as it is.").conflicts('csv');
  return parent.command(name ?? noun).addOption(json);
}

/** Help names every verb, whatever its noun. */
function commandsBelow(command: Command): Command[] {
  return command.commands.flatMap((inner) =>
    inner.commands.length === 0 ? [inner] : commandsBelow(inner),
  );
}

/** Noun and verb, without the program's name. */
function wordsOf(command: Command): string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}
