import { execFile } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../../..');

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look wherever they like.
  readonly json: any;
}

/** Runs the operator's command-line client as a process of its own, with this environment only. */
export function runOperator(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  folder = root,
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [
        '--conditions=@inventory/source',
        '--require',
        join(root, 'libs/testkit/typescript-hook.cjs'),
        join(root, 'deploy/operator-cli/src/main.ts'),
        ...args,
      ],
      { cwd: folder, env: { ...environment } },
      (error, out, err) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : error ? -1 : 0,
          out,
          err,
          get json() {
            return JSON.parse(out);
          },
        }),
    );
  });
}
