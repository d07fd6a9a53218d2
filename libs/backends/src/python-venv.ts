import { join } from 'node:path';
import { explainFailure } from './command-failure.ts';
import type { ServerSearch } from './mongodb-server.ts';
import { ProvisionError } from './provision-error.ts';
import { type Command, runCommand } from './run-command.ts';

export interface WheelInstall {
  readonly folder: string;
  readonly packages: readonly string[];
  readonly withDependencies: boolean;
  /** The script that must run afterwards. */
  readonly script: string;
}

const pythonMin = [3, 10] as const;
const quickDeadlineMs = 120_000;
const installDeadlineMs = 10 * 60_000;
const pythonFix =
  'install Python 3.10 or later with venv (for example `apt-get install python3-venv`)';

/**
 * Installs prebuilt packages into a private environment. Its scripts name the folder they were
 * made in, so after a rename they are run as files given to its `python`.
 */
export async function installWheel(search: ServerSearch, install: WheelInstall): Promise<void> {
  const { folder } = install;
  const python = await findPython(search);
  await succeed(search, 'Python', {
    command: python,
    args: ['-m', 'venv', folder],
    deadlineMs: quickDeadlineMs,
  });
  await succeed(search, 'pip', {
    command: pythonIn(folder),
    args: [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--only-binary=:all:',
      ...(install.withDependencies ? [] : ['--no-deps']),
      ...install.packages,
    ],
    deadlineMs: installDeadlineMs,
  });
  await succeed(search, install.script, {
    command: pythonIn(folder),
    args: [join(folder, 'bin', install.script), '--help'],
    deadlineMs: quickDeadlineMs,
  });
}

export function pythonIn(folder: string): string {
  return join(folder, 'bin', 'python');
}

/** True for `Python 3.10.0` and later. */
export function isPythonUsable(versionOutput: string): boolean {
  const match = /Python (\d+)\.(\d+)/.exec(versionOutput);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > pythonMin[0] || (major === pythonMin[0] && minor >= pythonMin[1]);
}

async function findPython(search: ServerSearch): Promise<string> {
  for (const command of ['python3', 'python']) {
    const result = await runCommand({
      command,
      args: ['--version'],
      environment: search.environment,
      deadlineMs: quickDeadlineMs,
      signal: search.signal,
    });
    if (result.kind === 'ended' && result.code === 0 && isPythonUsable(result.output)) {
      return command;
    }
  }
  throw new ProvisionError(`no Python of version 3.10 or later was found: ${pythonFix}`);
}

async function succeed(
  search: ServerSearch,
  program: string,
  command: Pick<Command, 'command' | 'args' | 'deadlineMs'>,
): Promise<void> {
  const { environment, signal } = search;
  const failure = explainFailure(program, await runCommand({ ...command, environment, signal }));
  if (failure !== null) throw new ProvisionError(failure);
}
