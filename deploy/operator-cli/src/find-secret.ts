import { createHash } from 'node:crypto';
import { secretPattern } from '@inventory/contracts/credential-secret';
import type { OperatorClient } from '@inventory/operator-client/operator-client';
import type { Command } from 'commander';
import { type CliProcess, type ExitCode, exitCodes } from './cli-process.ts';
import type { Given } from './command-options.ts';
import { connect, showAnswer } from './run-command.ts';

/** `credential find`: the one command whose input is hashed here and not sent. */
export function describeFindSecret(command: Command): Command {
  return command
    .summary('Find the Credential of a leaked secret')
    .description(
      'Finds the Credential of a leaked secret, which is read from standard input and not sent.',
    )
    .requiredOption('--secret-stdin', 'Read the secret, or a text with it, from standard input.')
    .option('--revoke', 'Revoke the Credential where the secret is valid.');
}

export async function findSecret(cli: CliProcess, given: Given): Promise<ExitCode> {
  const named = secretIn(await cli.readInput());
  if (named === null) {
    cli.writeError('standard input holds no secret of a Credential\n');
    return exitCodes.usage;
  }
  return connect(cli, {}, '', async (api: OperatorClient) => {
    const found = await api.send('findCredential', named);
    const shown = showAnswer(cli, given, found);
    if (found.data === undefined || given['revoke'] !== true) return shown;
    const { credential_id, secret_valid } = found.data;
    if (secret_valid) {
      return showAnswer(cli, given, await api.send('revokeCredential', { credential_id }));
    }
    cli.writeError('Nothing is revoked: the secret is not valid.\n');
    return exitCodes.failed;
  });
}

/** The first secret in a text, as what the API is sent of it. */
function secretIn(text: string) {
  const [secret] = new RegExp(secretPattern).exec(text) ?? [];
  if (secret === undefined) return null;
  const secret_sha256 = createHash('sha256').update(secret).digest('hex');
  return { public_id: secret.split('_')[1] ?? '', secret_sha256 };
}
