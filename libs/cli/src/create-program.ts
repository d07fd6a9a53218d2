import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { showChanges } from './changes.ts';
import type { CliProcess } from './cli-process.ts';
import { completionScripts, completionsOf } from './completion.ts';
import { showEvents } from './events.ts';
import { exportInventory } from './export.ts';
import { listen } from './listen.ts';
import { type LoginFlags, login } from './login.ts';
import type { McpFlags } from './mcp/serve-mcp.ts';
import { refreshInventories } from './refresh.ts';
import { type EndWith, openSession, type Session } from './session.ts';
import { showUsage } from './usage.ts';
import { deleteWatch, listRuns, listWatches, putWatches } from './watches.ts';

const helpColumns = 100;
const afterHelp = `
Address and key are INVENTORY_URL and INVENTORY_API_KEY, or those that inventory login stored.
Results go to standard output, with --json as a line of JSON each; all else to standard error.
Exit codes: 0 done; 1 refused; 2 wrong usage or no key; 3 not reachable or not finished: run it again;
4 a refresh ended without an inventory; 130 interrupted.`;

/** The options of a command are those that it declares, as `commander` stores them. */
// biome-ignore lint/suspicious/noExplicitAny: `commander` does not know their types.
type Run = (session: Session, options: any, args: readonly string[]) => Promise<void>;
type Add = (parent: Command, line: string, description: string, run: Run) => Command;

/** The command tree. A command sets its exit code by `endWith`. */
export function createProgram(cli: CliProcess, endWith: EndWith): Command {
  const program = new Command('inventory')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void cli.write(text),
      writeErr: cli.writeError,
      getOutHelpWidth: () => helpColumns,
      getErrHelpWidth: () => helpColumns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .description('Complete item inventories of game platform accounts.')
    .version(readVersion())
    .addHelpText('after', afterHelp);
  const loginCommand = program
    .command('login')
    .description('Store the key of INVENTORY_API_KEY, or of standard input, for later commands.')
    .option('--url <url>', 'Address of the service; INVENTORY_URL by default.')
    .option('--events-url <url>', 'Address of the event stream, where it has an own one.');
  withCallOptions(loginCommand).action((options: LoginFlags) => login(cli, options));
  const add: Add = (parent, line, description, run) => {
    const command = withCallOptions(parent.command(line).description(description));
    return command.action(async () => {
      const options = command.opts();
      await run(openSession(cli, options, endWith), options, command.args);
    });
  };
  addInventories(program, add);
  addWatches(program.command('watch').description('Refresh inventories again and again.'), add);
  addAccount(program, add);
  program
    .command('completion')
    .description('Print a script that completes commands and options.')
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .action((shell: keyof typeof completionScripts) => cli.write(completionScripts[shell]));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: readonly string[]) => cli.write(completionsOf(program, words)));
  return program;
}

function addInventories(program: Command, add: Add): void {
  withInventories(
    add(program, 'refresh', 'Collect whole inventories from the platform.', refreshInventories),
  )
    .option('--wait', 'Wait for the end: up to --timeout, 900 s by default.')
    .option('--max-credits <n>', 'Highest charge; 125 by default.', whole(125))
    .option('--max-age <seconds>', 'Take a saved one, free, if it is no older.', whole(0, 86_400))
    .option('--key <text>', 'Go on with a command that was interrupted.');
  withInventory(
    add(program, 'export', 'Write a saved inventory as lines of JSON.', exportInventory),
  )
    .option('--from-row <n>', 'Leave out the rows before it.', whole(0))
    .option('--observation <id>', 'The one whose rows are counted.');
  withInventory(
    add(program, 'changes', 'Read what changed since a saved revision.', showChanges),
  ).requiredOption('--since <revision>', 'Its id, invrev_…');
}

function addWatches(watch: Command, add: Add): void {
  withInventories(add(watch, 'put', 'Watch inventories, or change how.', putWatches))
    .requiredOption('--every <seconds>', 'One run in each such period.', whole(300, 604_800))
    .option('--max-credits-per-day <n>', 'No limit of its own by default.', whole(125))
    .option('--dry-run', 'Store nothing: show what it would cost.');
  add(watch, 'list', 'List the watches of the Project.', listWatches).addOption(
    new Option('--state <state>', 'Only those of the state.').choices(['active', 'paused']),
  );
  withInventory(add(watch, 'runs', 'List the runs of a watch, newest first.', listRuns), false)
    .option('--charged', 'Only those that cost something.')
    .option('--no-charged', 'Only those that cost nothing.')
    .setOptionValue('charged', undefined);
  withInventory(add(watch, 'delete', 'Stop watching an inventory.', deleteWatch), false);
}

function addAccount(program: Command, add: Add): void {
  add(program, 'usage', 'Chart what was charged, by day.', showUsage)
    .option('--from <day>', 'UTC day, YYYY-MM-DD; the first of the month by default.')
    .option('--to <day>', 'UTC day, included; today by default.');
  add(program, 'events', 'List the stored events of the Project.', showEvents)
    .option('--from <cursor>', 'Only those after it.')
    .option('--follow', 'Show events as they happen, from now by default.');
  add(program, 'listen', 'Forward events to a URL, as webhooks, and lose none.', listen)
    .requiredOption('--forward-to <url>', 'Signed if INVENTORY_WEBHOOK_SECRET has a secret.')
    .option('--from <cursor>', 'Or oldest; by default where it ended, and now the first time.');
  add(program, 'mcp', 'Serve an MCP host over standard input and output.', runMcp).option(
    '--exports <directory>',
    'Absolute path for exported inventories.',
  );
}

/** Loaded for this command alone: the protocol takes longer to load than all else. */
const runMcp: Run = async (session, options: McpFlags) =>
  (await import('./mcp/serve-mcp.ts')).serveMcp(session, options, readVersion());

function withCallOptions(command: Command): Command {
  return command
    .option('--json', 'Write a line of JSON for each result.')
    .option('--timeout <seconds>', 'For each call; 30 by default.', whole(1, 86_400));
}

function withInventories(command: Command): Command {
  return withInventory(command.argument('<platform_id...>', '17 digits each', platformIds));
}

function withInventory(command: Command, hasLanguage = true): Command {
  if (command.registeredArguments.length === 0) command.argument('<platform_id>', '', platformId);
  if (hasLanguage) command.option('--language <word>', 'Of the texts; english by default.');
  return command
    .requiredOption('--app <id>', 'Application.', whole(1, 2 ** 32 - 1))
    .requiredOption('--context <id>', 'Context of the application.', whole(1, 2 ** 31 - 1));
}

function platformId(value: string): string {
  if (/^[0-9]{17}$/.test(value)) return value;
  throw new InvalidArgumentError('It must be 17 digits.');
}

function platformIds(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, platformId(value)];
}

function whole(minimum: number, maximum = 1_000_000_000) {
  return (value: string): number => {
    const number = /^[0-9]{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number, ${minimum} to ${maximum}.`);
  };
}

function readVersion(): string {
  const manifest = readFileSync(join(__dirname, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
