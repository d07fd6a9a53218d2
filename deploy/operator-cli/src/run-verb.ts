import { randomUUID } from 'node:crypto';
import {
  createOperatorClient,
  type OperatorAnswer,
  type OperatorClient,
  type OperatorError,
  OperatorUnreachable,
} from '@inventory/operator-client/operator-client';
import { type CliProcess, type ExitCode, exitCodes } from './cli-process.ts';
import { findConnection } from './connection.ts';
import { renderAnswer } from './render.ts';
import { key, type Verb } from './verb.ts';

/** What was given, by the name of the option as `commander` stores it. */
export type Given = Readonly<Record<string, unknown>>;

/** Calls the operator API once and shows its answer. */
export async function runVerb(cli: CliProcess, verb: Verb, given: Given): Promise<ExitCode> {
  const read = verb.fromInput ? verb.fromInput(await cli.readInput()) : {};
  if (read === null) {
    cli.writeError('standard input holds no secret of a Credential\n');
    return exitCodes.usage;
  }
  const input = { ...inputOf(verb, given), ...read };
  const { irreversible } = verb;
  if (irreversible !== undefined && (given['dryRun'] === true || given['yes'] !== true)) {
    return showEffect(cli, irreversible, input, given['dryRun'] === true);
  }
  const bookingKey = input['idempotency-key'];
  const hint =
    bookingKey === undefined
      ? ''
      : `run it again with --key ${bookingKey}: it is done at most once\n`;
  const api = createOperatorClient({
    timeoutMs: verb.timeoutMs,
    ...findConnection(cli.environment, cli.directory),
    ...cli.connection,
  });
  const operation = typeof verb.operation === 'string' ? verb.operation : verb.operation(input);
  // The options of a verb set fields of its operation only.
  const send: Send = (fields) => api.send(operation, fields as never);
  try {
    const first = await send(input);
    const answer = given['all'] === true ? await sendParts(cli, send, input, first) : first;
    if (answer.status >= 500) cli.writeError(hint);
    const shown = showAnswer(cli, verb, given, answer);
    const { followedBy } = verb;
    if (shown !== exitCodes.done || !followedBy || given[followedBy.option] !== true) return shown;
    const fields: Readonly<Record<string, unknown>> = { ...answer.data };
    if (fields[followedBy.when] !== true) {
      cli.writeError(`${followedBy.otherwise}\n`);
      return exitCodes.failed;
    }
    const next = Object.fromEntries(followedBy.fields.map((name) => [name, fields[name]]));
    return showAnswer(cli, verb, given, await api.send(followedBy.operation, next as never));
  } catch (error) {
    if (!(error instanceof OperatorUnreachable)) throw error;
    cli.writeError(`unreachable: ${error.message}\n${hint}`);
    return exitCodes.failed;
  }
}

/** What would be done. Only asking for that is a success. */
function showEffect(
  cli: CliProcess,
  effect: string,
  input: Readonly<Record<string, unknown>>,
  isDryRun: boolean,
): ExitCode {
  const fields = Object.entries(input).map(([name, value]) => `  ${name}: ${String(value)}\n`);
  const text = `${effect}\n${fields.join('')}`;
  if (isDryRun) {
    cli.write(text);
    return exitCodes.done;
  }
  cli.writeError(`${text}Nothing is done: add --yes to do it.\n`);
  return exitCodes.usage;
}

type Send = (input: object) => ReturnType<OperatorClient['send']>;

function inputOf({ options, fixed }: Verb, given: Given): Record<string, unknown> {
  const fields = options.map(({ option, toInput }) => {
    const value = given[option.attributeName()];
    return value === undefined ? {} : toInput(value);
  });
  const generated = options.includes(key) ? { 'idempotency-key': randomUUID() } : {};
  return Object.assign({}, fixed, generated, ...fields);
}

/** Writes all parts of a CSV but the last one, which it returns. Only the first has the header. */
async function sendParts(
  cli: CliProcess,
  send: Send,
  input: object,
  first: OperatorAnswer<object>,
) {
  let answer = first;
  for (;;) {
    const cursor = answer.headers.get('x-next-cursor');
    if (cursor === null) return answer;
    cli.write(answer.text);
    const next = await send({ ...input, cursor });
    if (next.status !== 200) return next;
    answer = { ...next, text: next.text.slice(next.text.indexOf('\n') + 1) };
  }
}

function showAnswer(
  cli: CliProcess,
  { columns, note, mustHold }: Verb,
  { json }: Given,
  answer: OperatorAnswer<object>,
): ExitCode {
  const { data, text, status, headers } = answer;
  if (status === 200 && headers.get('content-type')?.startsWith('text/csv')) {
    cli.write(text);
    const next = headers.get('x-next-cursor');
    if (next !== null) cli.writeError(`more: --cursor ${next}\n`);
    return exitCodes.done;
  }
  if (data === undefined) {
    cli.writeError(json ? `${text}\n` : refusalText(answer));
    return exitCodes.failed;
  }
  cli.write(json ? `${text}\n` : renderAnswer(data, columns));
  if (note) cli.writeError(`${note}\n`);
  const fields: Readonly<Record<string, unknown>> = { ...data };
  return mustHold === undefined || fields[mustHold] === true ? exitCodes.done : exitCodes.failed;
}

/** An answer in another form comes from another server at the address. */
function refusalText({ status, error }: OperatorAnswer<unknown>): string {
  if (error === undefined) {
    return `http_${status}: the address does not answer as the operator API\n`;
  }
  return `${error.code}: ${error.message}\n${detailLines(error.detail)}`;
}

function detailLines(detail: OperatorError['detail']): string {
  const { issues, ...rest } = detail ?? {};
  const problems = Array.isArray(issues)
    ? issues.map((issue: { in: string; field: string; reason: string }) =>
        [`  ${issue.in}`, issue.field, issue.reason].filter((part) => part !== '').join(' '),
      )
    : [];
  const fields = Object.entries(rest).map(([name, value]) => `  ${name}: ${String(value)}`);
  return [...problems, ...fields].map((line) => `${line}\n`).join('');
}
