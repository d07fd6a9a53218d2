import { Command, CommanderError, Option } from 'commander';
import { type CliProcess, type ExitCode, exitCodes } from './cli-process.ts';
import { NoConnection } from './connection.ts';
import { customerVerbs, limitVerbs } from './customer-verbs.ts';
import { moneyVerbs } from './money-verbs.ts';
import { priceVerbs } from './price-verbs.ts';
import { type Given, runVerb } from './run-verb.ts';
import { serviceVerbs, webhookVerbs } from './service-verbs.ts';
import type { Verb } from './verb.ts';

export const verbs = [
  ...customerVerbs,
  ...limitVerbs,
  ...moneyVerbs,
  ...priceVerbs,
  ...webhookVerbs,
  ...serviceVerbs,
];

const helpColumns = 100;
const afterHelp = `
Every command explains its options with --help. --json prints the answer as the API gave it.
Exit codes: 0 done, 1 refused or failed (the code is on standard error), 2 wrong usage.
The operator API is OPERATOR_URL with OPERATOR_TOKEN from the environment; without them, that
of the local stack (.local/stack.json here or in a directory above).`;

/** Runs one command. Resolves with its exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export async function runCli(cli: CliProcess): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const program = createProgram(cli);
  for (const verb of verbs) {
    const command = addCommand(program, verb);
    command.action(async (given: Given) => {
      checkGroups(command, verb, given);
      exitCode = await runVerb(cli, verb, given);
    });
  }
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

function addCommand(program: Command, { words, summary, options, irreversible }: Verb): Command {
  const [noun = '', name] = words.split(' ');
  const parent =
    name === undefined
      ? program
      : (program.commands.find((command) => command.name() === noun) ?? program.command(noun));
  const command = parent.command(name ?? noun).description(summary);
  for (const { option } of options) command.addOption(option);
  if (irreversible !== undefined) {
    command.option('--yes', 'do it: it cannot be taken back');
    command.option('--dry-run', 'show what would be done, and do nothing');
  }
  return command.addOption(new Option('--json', "print the API's JSON as it is").conflicts('csv'));
}

function checkGroups(command: Command, { exactlyOne = [] }: Verb, given: Given): void {
  const isGiven = (name: string) => given[new Option(`--${name}`).attributeName()] !== undefined;
  for (const group of exactlyOne) {
    if (group.filter(isGiven).length === 1) continue;
    const names = group.map((name) => `--${name}`).join(', ');
    command.error(`error: exactly one of ${names} must be given`);
  }
  if (isGiven('all') && !isGiven('csv')) command.error('error: --all goes with --csv only');
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
