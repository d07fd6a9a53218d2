import { type ApiAnswer, ApiUnreachable, callApi } from './call-api.ts';
import type { ApiRequest } from './command.ts';
import { type CommandLine, readCommandLine, UsageError } from './command-line.ts';
import { type Connection, findConnection, NoConnection } from './connection.ts';
import { helpText, usageLine } from './help.ts';
import { renderAnswer } from './render.ts';

/** What the client takes from its process. */
interface CliProcess {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** How long an answer is waited for, instead of the usual time. */
  readonly timeoutMs?: number;
}

const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** Runs one command and tells the exit code: 0 done, 1 refused or failed, 2 wrong usage. */
export async function runCli(cli: CliProcess): Promise<number> {
  try {
    const line = readCommandLine(cli.args);
    if (line.kind === 'run') return await run(cli, line);
    cli.write(helpText(line.words));
    return exitCodes.done;
  } catch (error) {
    if (error instanceof UsageError) {
      const usage = error.command ? usageLine(error.command) : 'see --help';
      cli.writeError(`${error.message}\n${usage}\n`);
      return exitCodes.usage;
    }
    if (!(error instanceof NoConnection)) throw error;
    cli.writeError(`${error.message}\n`);
    return exitCodes.usage;
  }
}

type Run = Extract<CommandLine, { kind: 'run' }>;

async function run(cli: CliProcess, line: Run): Promise<number> {
  const { environment, folder, timeoutMs } = cli;
  const connection = { ...findConnection(environment, folder), timeoutMs };
  const call = line.command.request(line.values);
  try {
    const answer = await callApi(connection, call);
    if (answer.status >= 400) return refuse(cli, call, answer, line.json);
    if (line.values.flag('csv')) return await writeCsv(cli, connection, call, answer, line);
    return writeAnswer(cli, call, answer, line);
  } catch (error) {
    if (!(error instanceof ApiUnreachable)) throw error;
    cli.writeError(`unreachable: ${error.message}\n${retryHint(call)}`);
    return exitCodes.failed;
  }
}

function writeAnswer(
  cli: CliProcess,
  call: ApiRequest,
  answer: ApiAnswer,
  { command, json }: Run,
): number {
  const parsed = parseObject(answer.text);
  if (parsed === undefined) return refuse(cli, call, answer, json);
  cli.write(json ? `${answer.text}\n` : renderAnswer(parsed, command.columns));
  if (command.note) cli.writeError(`${command.note}\n`);
  const holds = command.mustHold === undefined || parsed[command.mustHold] === true;
  return holds ? exitCodes.done : exitCodes.failed;
}

/** Parts of one statement are one file: only the first has the header line. */
async function writeCsv(
  cli: CliProcess,
  connection: Connection,
  call: ApiRequest,
  first: ApiAnswer,
  { values, json }: Run,
): Promise<number> {
  cli.write(first.text);
  let cursor = first.nextCursor;
  while (cursor !== undefined && values.flag('all')) {
    const answer = await callApi(connection, { ...call, query: { ...call.query, cursor } });
    if (answer.status >= 400) return refuse(cli, call, answer, json);
    cli.write(answer.text.slice(answer.text.indexOf('\n') + 1));
    cursor = answer.nextCursor;
  }
  if (cursor !== undefined) cli.writeError(`more: --cursor ${cursor}\n`);
  return exitCodes.done;
}

interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

function refuse(cli: CliProcess, call: ApiRequest, answer: ApiAnswer, json: boolean): number {
  const error = errorOf(answer);
  if (json) cli.writeError(`${answer.text}\n`);
  else cli.writeError(`${error.code}: ${error.message}\n${detailLines(error.detail)}`);
  if (answer.status >= 500) cli.writeError(retryHint(call));
  return exitCodes.failed;
}

/** What answers in other words than the operator API's is something else at its address. */
function errorOf({ status, text }: ApiAnswer): ApiError {
  const error = parseObject(text)?.['error'] as ApiError | undefined;
  if (typeof error?.code === 'string') return error;
  return { code: `http_${status}`, message: 'the address does not answer as the operator API' };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null
      ? (parsed as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function detailLines(detail: ApiError['detail']): string {
  const { issues, ...rest } = detail ?? {};
  const problems = Array.isArray(issues)
    ? issues.map((issue: { in: string; field: string; reason: string }) =>
        [`  ${issue.in}`, issue.field, issue.reason].filter((part) => part !== '').join(' '),
      )
    : [];
  const fields = Object.entries(rest).map(([name, value]) => `  ${name}: ${String(value)}`);
  return [...problems, ...fields].map((line) => `${line}\n`).join('');
}

/** Whoever made no key of their own needs the one that was made to find out what was booked. */
function retryHint(call: ApiRequest): string {
  const key = call.headers?.['idempotency-key'];
  return key === undefined ? '' : `run it again with --key ${key}: it is booked at most once\n`;
}
