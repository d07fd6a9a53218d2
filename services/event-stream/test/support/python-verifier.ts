import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const version = '1.1.0';
const root = join(homedir(), '.cache', 'game-item-inventory');
const folder = join(root, `python-standardwebhooks-${version}`);
const installDeadlineMs = 120_000;

const script = `
import base64, json, sys
from standardwebhooks.webhooks import Webhook
given = json.load(sys.stdin)
body = base64.b64decode(given["body"])
try:
    event = Webhook(given["secret"]).verify(body, given["headers"])
    print(json.dumps({"ok": True, "event": event}))
except Exception as problem:
    print(json.dumps({"ok": False, "problem": type(problem).__name__}))
`;

export interface PythonVerdict {
  readonly ok: boolean;
  readonly event?: unknown;
  readonly problem?: string;
}

/**
 * The Standard Webhooks package of Python, in an environment of its own that outlives the run; or
 * why there is none on this machine.
 */
export async function preparePython(): Promise<{ readonly missing: string | null }> {
  if (existsSync(folder)) return { missing: null };
  mkdirSync(root, { recursive: true });
  // Made aside and renamed, so that it is there whole or not at all.
  const partial = mkdtempSync(`${folder}.`);
  const python = join(partial, 'bin', 'python');
  try {
    await run('python3', ['-m', 'venv', partial], { timeout: installDeadlineMs });
    const wanted = `standardwebhooks==${version}`;
    const quiet = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
    await run(python, ['-m', 'pip', 'install', ...quiet, wanted], { timeout: installDeadlineMs });
    renameSync(partial, folder);
  } catch (error) {
    // Another run may have been first.
    if (!existsSync(folder)) return { missing: String((error as Error).message).slice(0, 500) };
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return { missing: null };
}

export function verifyInPython(
  secret: string,
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
): Promise<PythonVerdict> {
  return new Promise((resolve, reject) => {
    const python = execFile(join(folder, 'bin', 'python'), ['-c', script], (error, out) => {
      if (error) reject(error);
      else resolve(JSON.parse(out) as PythonVerdict);
    });
    python.stdin?.end(JSON.stringify({ secret, headers, body: body.toString('base64') }));
  });
}
