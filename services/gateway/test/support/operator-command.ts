import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { runCli } from '../../../../deploy/operator-cli/src/run-cli.ts';
import { farMs } from './patience.ts';

const root = join(__dirname, '../../../..');

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look wherever they like.
  readonly json: any;
}

/** Runs the operator's command-line client as its main does, with this environment only. */
export async function runOperator(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  folder = root,
): Promise<CommandEnd> {
  let [out, err] = ['', ''];
  const code = await runCli({
    args,
    environment,
    folder,
    timeoutMs: farMs,
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
  });
  return commandEnd(code, out, err);
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
