import { parseArgs } from 'node:util';
import { accountCommands } from './account-commands.ts';
import type { Command, Option, OptionValues } from './command.ts';
import { credentialCommands } from './credential-commands.ts';
import { limitCommands } from './limit-commands.ts';
import { moneyCommands } from './money-commands.ts';
import { serviceCommands } from './service-commands.ts';
import { termsCommands } from './terms-commands.ts';
import { webhookCommands } from './webhook-commands.ts';

export const commands: readonly Command[] = [
  ...accountCommands,
  ...credentialCommands,
  ...limitCommands,
  ...moneyCommands,
  ...termsCommands,
  ...webhookCommands,
  ...serviceCommands,
];

/** The command line is wrong; nothing was called. */
export class UsageError extends Error {
  override name = 'UsageError';
  /** The command that was meant, where that much is clear. */
  readonly command: Command | undefined;

  constructor(message: string, command?: Command) {
    super(message);
    this.command = command;
  }
}

export type CommandLine =
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly values: OptionValues;
      readonly json: boolean;
    };

/** Reads the arguments after the program's name. Throws {@link UsageError}. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const words = leadingWords(args);
  if (args.includes('--help') || args.length === 0 || words[0] === 'help') {
    return { kind: 'help', words: words.filter((word) => word !== 'help') };
  }
  const command = findCommand(words);
  const { json, ...given } = parseOptions(command, args.slice(command.words.length));
  const values = optionValues(given);
  checkOptions(command, values);
  if (json && values.flag('csv'))
    throw new UsageError('--json and --csv exclude each other', command);
  return { kind: 'run', command, values, json: json !== undefined };
}

/** Commands that begin with these words. */
export function commandsUnder(words: readonly string[]): readonly Command[] {
  return commands.filter((command) => words.every((word, index) => command.words[index] === word));
}

function leadingWords(args: readonly string[]): string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  return args.slice(0, end === -1 ? args.length : end);
}

function findCommand(words: readonly string[]): Command {
  const found = commands.find((command) =>
    command.words.every((word, index) => word === words[index]),
  );
  if (found) return found;
  const [noun = ''] = words;
  const verbs = commandsUnder([noun]).map((command) => command.words.join(' '));
  if (noun === '') throw new UsageError('the command comes first: <noun> <verb> [options]');
  if (verbs.length === 0) throw new UsageError(`there is no command "${noun}"; see --help`);
  throw new UsageError(`"${words.join(' ')}" is no command; there is: ${verbs.join(', ')}`);
}

type Given = Readonly<Record<string, readonly (string | boolean)[] | undefined>>;

function parseOptions(command: Command, args: readonly string[]): Given {
  const known = [...command.options, { name: 'json', kind: 'flag' } as const].map((option) => [
    option.name,
    { type: option.kind === 'flag' ? 'boolean' : 'string', multiple: true } as const,
  ]);
  try {
    const options = Object.fromEntries(known);
    const { values } = parseArgs({ args: joinNegatives(args), options, allowPositionals: false });
    return values as Given;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new UsageError(message, command);
  }
}

/** `--amount -5` means `--amount=-5`: a number is no option. */
function joinNegatives(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1);
    const belongsToLast = /^-[0-9]+$/.test(arg) && last?.startsWith('--') && !last.includes('=');
    if (belongsToLast) joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

function optionValues(given: Given): OptionValues {
  const text = (name: string) => {
    const value = given[name]?.[0];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    text,
    number: (name) => (text(name) === undefined ? undefined : Number(text(name))),
    flag: (name) => given[name]?.[0] === true,
    list: (name) => given[name]?.map(String),
    segment: (name) => encodeURIComponent(text(name) ?? ''),
  };
}

function checkOptions(command: Command, values: OptionValues): void {
  for (const option of command.options) {
    const problem = problemOf(option, values);
    if (problem) throw new UsageError(`--${option.name} ${problem}`, command);
  }
  for (const group of command.exactlyOne ?? []) {
    const count = group.filter((name) => values.list(name) !== undefined).length;
    const names = group.map((name) => `--${name}`).join(', ');
    if (count !== 1) throw new UsageError(`exactly one of ${names} must be given`, command);
  }
  if (values.flag('all') && !values.flag('csv')) {
    throw new UsageError('--all goes with --csv only', command);
  }
}

function problemOf(option: Option, values: OptionValues): string | undefined {
  const given = values.list(option.name);
  if (given === undefined) return option.required ? 'is required' : undefined;
  if (given.length > 1 && option.kind !== 'list') return 'is given more than once';
  if (given.includes('')) return 'must not be empty';
  // A URL would take them as steps up its path, however they are written.
  if (given.includes('.') || given.includes('..')) return 'must be more than dots';
  const isNumber = /^-?[0-9]{1,15}$/.test(given[0] ?? '');
  return option.kind === 'number' && !isNumber ? 'must be a whole number' : undefined;
}
