import { join } from 'node:path';
import { requireSuccess } from './command-failure.ts';
import { outputOf } from './run-command.ts';
import { SetupError } from './setup-error.ts';
import type { NativeStart } from './started-backend.ts';

export interface WheelInstall {
  readonly directory: string;
  /** For pip, for example `SecantusDB==0.6.0b17`. Its dependencies are not installed. */
  readonly requirement: string;
  /** The script of the wheel that must run afterwards. */
  readonly script: string;
}

const pythonMin = [3, 10] as const;
const timeoutMs = 120_000;
const installTimeoutMs = 10 * 60_000;

/**
 * Installs a prebuilt package into a private environment. Its scripts name the directory they were
 * made in, so after a rename they run as files given to its `python`.
 */
export async function installWheel(
  { environment, signal }: NativeStart,
  { directory, requirement, script }: WheelInstall,
): Promise<void> {
  const around = { environment, timeoutMs, signal };
  const command = await findPython({ environment, signal });
  await requireSuccess('Python', { ...around, command, args: ['-m', 'venv', directory] });
  const python = pythonIn(directory);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await requireSuccess('pip', {
    ...around,
    command: python,
    args: [...pip, '--only-binary=:all:', '--no-deps', requirement],
    timeoutMs: installTimeoutMs,
  });
  const args = [join(directory, 'bin', script), '--help'];
  await requireSuccess(script, { ...around, command: python, args });
}

export function pythonIn(directory: string): string {
  return join(directory, 'bin', 'python');
}

/** True for `Python 3.10.0` and later. */
export function isPythonUsable(versionOutput: string): boolean {
  const match = /Python (\d+)\.(\d+)/.exec(versionOutput);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > pythonMin[0] || (major === pythonMin[0] && minor >= pythonMin[1]);
}

async function findPython(around: Pick<NativeStart, 'environment' | 'signal'>): Promise<string> {
  for (const command of ['python3', 'python']) {
    const output = await outputOf({ ...around, command, args: ['--version'], timeoutMs });
    if (output !== null && isPythonUsable(output)) return command;
  }
  throw new SetupError(
    'No Python of version 3.10 or later was found.',
    'Install it with venv (for example `apt-get install python3-venv`).',
  );
}
