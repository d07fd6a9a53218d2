import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { runCli } from '../../../../deploy/operator-cli/src/run-cli.ts';
import { expectOperatorDocumented } from '../../../../test/support/operator-contract.ts';
import { farMs } from './patience.ts';

const root = join(__dirname, '../../../..');

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member.
  readonly json: any;
}

/** Runs the operator's command-line client as its main does, with this environment only. */
export async function runOperator(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  directory = root,
  input = '',
): Promise<CommandEnd> {
  let [out, err] = ['', ''];
  const code = await runCli({
    args,
    environment,
    directory,
    readInput: async () => input,
    connection: { timeoutMs: farMs, fetch: fetchDocumented },
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
  });
  return commandEnd(code, out, err);
}

/** Throws when the answer differs from the operator document. */
async function fetchDocumented(request: Request): Promise<Response> {
  const response = await fetch(request);
  const { pathname, search } = new URL(request.url);
  const contentType = response.headers.get('content-type') ?? undefined;
  // An address where another server answers is a case of its own.
  if (!response.headers.has('x-request-id')) return response;
  expectOperatorDocumented({
    method: request.method,
    path: `${pathname}${search}`,
    status: response.status,
    contentType,
    text: await response.clone().text(),
  });
  return response;
}

/** The same as a process of its own. */
export function runOperatorProcess(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<CommandEnd> {
  const hook = join(root, 'libs/testkit/typescript-hook.cjs');
  const main = join(root, 'deploy/operator-cli/src/main.ts');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=@inventory/source', '--require', hook, main, ...args],
      { cwd: root, env: { ...environment } },
      (error, out, err) =>
        resolve(
          commandEnd(typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err),
        ),
    );
  });
}

function commandEnd(code: number, out: string, err: string): CommandEnd {
  return {
    code,
    out,
    err,
    get json() {
      return JSON.parse(out);
    },
  };
}
