import type { Command } from './command.ts';
import { commands, readCommandLine, UsageError } from './command-line.ts';
import { helpText, usageLine } from './help.ts';

function requestOf(...args: string[]) {
  const line = readCommandLine(args);
  if (line.kind !== 'run') throw new Error('asked for help');
  return line.command.request(line.values);
}

/** The shortest right command line of a command. */
function shortest({ words, options, exactlyOne = [] }: Command): string[] {
  const needed = options.filter(
    ({ name, required }) => required || exactlyOne.some(([first]) => first === name),
  );
  return [
    ...words,
    ...needed.flatMap(({ name, kind }) => (kind === 'flag' ? [`--${name}`] : [`--${name}`, '7'])),
  ];
}

test.each(commands.map((command) => [command.words.join(' '), command] as const))(
  '%s explains itself, and says what is missing when it is called without its options',
  (name, command) => {
    const help = helpText(command.words);

    expect(help).toContain(`${name}: `);
    expect(help).toContain(usageLine(command));
    for (const option of command.options) expect(help).toContain(`--${option.name}`);
    expect(() => requestOf(...shortest(command))).not.toThrow();
    const [first, ...rest] = shortest(command).slice(command.words.length);
    if (first !== undefined) {
      expect(() => requestOf(...command.words, ...rest.slice(1))).toThrow(UsageError);
    }
  },
);

test('the overview names every command', () => {
  const help = helpText([]);
  for (const { words } of commands) expect(help).toContain(`\n  ${words.join(' ')} `);
});

test('no two commands share their words', () => {
  const names = commands.map(({ words }) => words.join(' '));
  expect(new Set(names).size).toBe(names.length);
});

test('a negative amount needs no equals sign', () => {
  const call = requestOf('adjust', '--account', 'acc_1', '--amount', '-5', '--reason', 'refund');
  expect(call.body).toEqual({ amount: -5, reason: 'refund' });
});

test('a booking without a key gets one of its own each time; with a key it is that key', () => {
  const args = ['top-up', '--account', 'acc_1', '--amount', '5'];
  const keyOf = (...more: string[]) => requestOf(...args, ...more).headers?.['idempotency-key'];

  expect(keyOf()).toMatch(/^[0-9a-f-]{36}$/);
  expect(keyOf()).not.toBe(keyOf());
  expect(keyOf('--key', 'invoice 7')).toBe('invoice 7');
});

test('an id cannot leave its place in the path', () => {
  const call = requestOf('account', 'suspend', '--account', '../admission?x=#');
  expect(call.path).toBe('/accounts/..%2Fadmission%3Fx%3D%23/suspend');
});

test.each([
  [['account'], /there is: account create, account list/],
  [['nonsense'], /no command "nonsense"/],
  [['--json'], /the command comes first/],
  [['account', 'create'], /--name is required/],
  [['account', 'create', '--name', ''], /--name must not be empty/],
  [['account', 'create', '--nam', 'x'], /Unknown option '--nam'/],
  [['account', 'create', 'x'], /Unexpected argument 'x'/],
  [['account', 'list', '--limit', 'ten'], /--limit must be a whole number/],
  [['balance', '--account', 'a', '--account', 'b'], /--account is given more than once/],
  [['network-policy', 'set', '--none'], /exactly one of --account, --project, --credential/],
  [['network-policy', 'set', '--account', 'a'], /exactly one of --allow, --none/],
  [['expiry', 'set', '--credential', 'c', '--never', '--at', 'x'], /exactly one of --at, --never/],
  [['statement', '--account', 'a', '--all'], /--all goes with --csv only/],
  [['statement', '--account', 'a', '--csv', '--json'], /exclude each other/],
])('%j is refused before anything is called', (args, message) => {
  expect(() => readCommandLine(args)).toThrow(UsageError);
  expect(() => readCommandLine(args)).toThrow(message);
});
