import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineEnvironment } from '../../support/start-command.ts';

export interface FuzzingWish {
  readonly apiUrl: string;
  readonly secret: string;
  readonly seed: number;
  /** Folder of the packages, a PYTHONPATH. */
  readonly packages: string;
  /** `schemathesis.toml`; `INVENTORY_API_KEY` is the secret. */
  readonly config: string;
}

export interface FuzzingReport {
  readonly exitCode: number;
  /** What was run and found, for people. */
  readonly text: string;
}

const timeoutMs = 20 * 60_000;

/** Runs schemathesis against the document that the API serves. */
export async function fuzzApi(wish: FuzzingWish): Promise<FuzzingReport> {
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
  try {
    const config = join(folder, 'schemathesis.toml');
    writeFileSync(config, wish.config);
    const log = join(folder, 'report.txt');
    writeFileSync(log, '');
    const args = ['--config-file', config, 'run', `${wish.apiUrl}/openapi.json`];
    const { code, stdout, stderr } = await new Promise<{
      code: number;
      stdout: string;
      stderr: string;
    }>((resolve) => {
      execFile(
        'python3',
        ['-m', 'schemathesis.cli', '--no-color', ...args, '--seed', String(wish.seed)],
        {
          cwd: folder,
          env: {
            ...machineEnvironment(),
            PYTHONPATH: wish.packages,
            INVENTORY_API_KEY: wish.secret,
          },
          timeout: timeoutMs,
          maxBuffer: 64 * 2 ** 20,
        },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
    });
    return { exitCode: code, text: `${stdout}${stderr}${readFileSync(log, 'utf8')}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
