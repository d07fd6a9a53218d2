import type { Command, Option } from './command.ts';
import { commands, commandsUnder } from './command-line.ts';
import { alignColumns } from './render.ts';

const invocation = 'npm run -s operator --';

/** What `--help` says: of one command, of a noun, or of everything. */
export function helpText(words: readonly string[]): string {
  const meant = commandsUnder(words);
  const [only] = meant;
  if (only && meant.length === 1) return commandHelp(only);
  return overview(meant.length > 0 ? meant : commands);
}

export function usageLine(command: Command): string {
  const parts = command.options.map((option) => {
    const written = optionText(option);
    return option.required ? written : `[${written}]`;
  });
  return `usage: ${[invocation, ...command.words, ...parts, '[--json]'].join(' ')}`;
}

function commandHelp(command: Command): string {
  const json: Option = { name: 'json', kind: 'flag', help: "print the API's JSON as it is" };
  const rows = [...command.options, json].map((option) => [
    `  ${optionText(option)}`,
    option.required ? `${option.help} (required)` : option.help,
  ]);
  const groups = (command.exactlyOne ?? []).map(
    (group) => `Exactly one of ${group.map((name) => `--${name}`).join(', ')} must be given.`,
  );
  return [
    `${command.words.join(' ')}: ${command.summary}`,
    '',
    usageLine(command),
    '',
    ...alignColumns(rows),
    ...groups,
    '',
  ].join('\n');
}

function overview(of: readonly Command[]): string {
  const rows = of.map((command) => [`  ${command.words.join(' ')}`, command.summary]);
  return [
    `usage: ${invocation} <noun> <verb> [options] [--json]`,
    '',
    ...alignColumns(rows),
    '',
    'Every command explains its options with --help. --json prints the answer as the API gave it.',
    'Exit codes: 0 done, 1 refused or failed (the code is on standard error), 2 wrong usage.',
    'The operator API is OPERATOR_URL with OPERATOR_TOKEN from the environment; without them, that',
    'of the local stack (.local/stack.json here or in a folder above).',
    '',
  ].join('\n');
}

function optionText({ name, kind, value }: Option): string {
  if (kind === 'flag') return `--${name}`;
  return `--${name} <${value ?? 'value'}>${kind === 'list' ? ' …' : ''}`;
}
