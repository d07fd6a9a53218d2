import { randomUUID } from 'node:crypto';
import {
  createOperatorClient,
  type OperatorAccess,
  type OperatorClient,
  type OperatorError,
  type OperatorResponse,
  OperatorUnreachable,
} from '@inventory/operator-client/operator-client';
import { type CliProcess, type ExitCode, exitCodes } from './cli-process.ts';
import { fieldsOf, type Given } from './command-options.ts';
import { findConnection } from './connection.ts';
import type { OperatorCommand } from './operator-commands.ts';
import { renderResponse } from './render.ts';

/** The verification reads every journal. */
const verifyTimeoutMs = 290_000;

/** Calls the operator API once and shows its response. */
export async function runCommand(
  cli: CliProcess,
  command: OperatorCommand,
  given: Given,
): Promise<ExitCode> {
  const { operation, irreversible, hasKey, columns } = command;
  const generated = hasKey ? { 'idempotency-key': randomUUID() } : {};
  const csv = given['csv'] === true ? { format: 'csv' } : {};
  const all = given['all'] === true ? { limit: 100 } : {};
  const input = { ...generated, ...fieldsOf(command, given), ...csv, ...all };
  if (irreversible !== undefined && (given['dryRun'] === true || given['yes'] !== true)) {
    return showEffect(cli, irreversible, input, given['dryRun'] === true);
  }
  const key: unknown = Object(input)['idempotency-key'];
  const hint = hasKey ? `run it again with --key ${String(key)}: it is done at most once\n` : '';
  const timeoutMs = operation === 'verifyLedger' ? verifyTimeoutMs : undefined;
  return connect(cli, { timeoutMs }, hint, async (api) => {
    // The fields of a command are those of its operation, by the document of both.
    const send: Send = (fields) => api.send(operation, fields as never);
    const first = await send(input);
    const response = given['all'] === true ? await sendPages(cli, send, input, first) : first;
    if (response.status >= 500) cli.writeError(hint);
    return showResponse(cli, given, response, columns);
  });
}

/** Runs calls of the operator API. Without a response the hint is written too. */
export async function connect(
  cli: CliProcess,
  access: Pick<OperatorAccess, 'timeoutMs'>,
  hint: string,
  run: (api: OperatorClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const found = findConnection(cli.environment, cli.directory);
  try {
    return await run(createOperatorClient({ ...access, ...found, ...cli.connection }));
  } catch (error) {
    if (!(error instanceof OperatorUnreachable)) throw error;
    cli.writeError(`unreachable: ${error.message}\n${hint}`);
    return exitCodes.failed;
  }
}

/** What would be done. Only a request for that is a success. */
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

/** Writes all pages of a CSV but the last one, which it returns. Only the first has the header. */
async function sendPages(
  cli: CliProcess,
  send: Send,
  input: object,
  first: OperatorResponse<object>,
) {
  let response = first;
  for (;;) {
    const cursor = response.headers.get('x-next-cursor');
    if (cursor === null) return response;
    cli.write(response.text);
    const next = await send({ ...input, cursor });
    if (next.status !== 200) return next;
    response = { ...next, text: next.text.slice(next.text.indexOf('\n') + 1) };
  }
}

/** A secret is written with the response that has it, and not again. */
export function showResponse(
  cli: CliProcess,
  { json }: Given,
  response: OperatorResponse<object>,
  columns?: readonly string[],
): ExitCode {
  const { data, text, status, headers } = response;
  if (status === 200 && headers.get('content-type')?.startsWith('text/csv')) {
    cli.write(text);
    const next = headers.get('x-next-cursor');
    if (next !== null) cli.writeError(`more: --cursor ${next}\n`);
    return exitCodes.done;
  }
  if (data === undefined) {
    cli.writeError(json ? `${text}\n` : refusalText(response));
    return exitCodes.failed;
  }
  cli.write(json ? `${text}\n` : renderResponse(data, columns));
  if ('secret' in data) {
    cli.writeError('The secret is shown this once: store it now, or hand it over.\n');
  }
  return 'ok' in data && data.ok !== true ? exitCodes.failed : exitCodes.done;
}

/** A response in another form comes from another server at the address. */
function refusalText({ status, error }: OperatorResponse<unknown>): string {
  if (error === undefined) {
    return `http_${status}: the address does not respond as the operator API\n`;
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
