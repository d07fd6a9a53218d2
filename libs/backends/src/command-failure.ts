import { lastLines } from './log-file.ts';
import { type CommandResult, type ProgramCall, runCommand } from './run-command.ts';
import { SetupError } from './setup-error.ts';

const linesShown = 8;

const knownCauses: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|ENOSPC|Errno 28/i, 'the disk is full: free some space and run again'],
  [
    /UnknownHost|Temporary failure in name resolution|Could not resolve host|Name or service not known|Connection refused|Connection timed out|Network is unreachable|Failed to establish a new connection|No route to host|Read timed out|SSLHandshake|CERTIFICATE_VERIFY_FAILED|unable to get local issuer|Could not transfer artifact/i,
    'the package registry could not be reached: check the network (proxy, certificates) and run again',
  ],
  [
    /No matching distribution|Could not find a version that satisfies/i,
    'there is no such package for this machine, or it was withdrawn',
  ],
  [
    /ensurepip is not available|No module named venv/,
    "Python's venv module is missing: install it (for example `apt-get install python3-venv`)",
  ],
  [/Permission denied|EACCES/i, 'a folder is not writable: check its owner and permissions'],
];

/** Runs a program to its end. Rejects with a {@link SetupError} when it fails. */
export async function requireSuccess(program: string, command: ProgramCall): Promise<void> {
  const failure = explainFailure(program, await runCommand(command));
  if (failure !== null) throw new SetupError(failure);
}

/**
 * Why a program failed, in one sentence; its last lines follow when the cause is unknown. Null when
 * it succeeded.
 */
export function explainFailure(program: string, result: CommandResult): string | null {
  if (result.kind === 'missing') return `${program} is not installed or cannot be run`;
  if (result.kind === 'ended' && result.code === 0) return null;
  if (result.kind === 'late') return `${program} timed out`;
  const cause = knownCauses.find(([pattern]) => pattern.test(result.output))?.[1];
  if (cause !== undefined) return `${program} failed: ${cause}`;
  return `${program} failed (exit code ${result.code}). Its last lines:\n${lastLines(result.output, linesShown)}`;
}
