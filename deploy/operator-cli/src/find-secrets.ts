import { createHash } from 'node:crypto';
import { secretPattern } from '@inventory/contracts/credential-secret';
import type { OperatorClient } from '@inventory/operator-client/operator-client';
import type { Command } from 'commander';
import { type CliProcess, type ExitCode, exitCodes } from './cli-process.ts';
import type { Given } from './command-options.ts';
import { connect, showResponse } from './run-command.ts';

/** What became of a key of the input. */
type KeyEnd = 'valid' | 'not valid' | 'revoked' | 'failed';

/** `credential find`: the one command whose input is hashed here and not sent. */
export function describeFindSecrets(command: Command): Command {
  return command
    .summary('Find the Credentials of leaked secrets')
    .description(
      'Finds the Credential of each leaked secret. They are read from standard input and not sent.',
    )
    .requiredOption('--secret-stdin', 'Read the secrets, or a text with them, from standard input.')
    .option('--revoke', 'Revoke each Credential whose secret is valid.');
}

/**
 * Handles every key, also after one that fails, and reports how many ended how: a key that is left
 * out stays valid. Done where each was found, and with `--revoke` none of their Credentials is active.
 */
export async function findSecrets(cli: CliProcess, given: Given): Promise<ExitCode> {
  const secrets = secretsIn(await cli.readInput());
  if (secrets.length === 0) {
    cli.writeError('standard input holds no secret of a Credential\n');
    return exitCodes.usage;
  }
  const ends: KeyEnd[] = [];
  const ended = await connect(cli, {}, '', async (api) => {
    for (const secret of secrets) ends.push(await handleKey(cli, given, api, secret));
    const done: readonly KeyEnd[] = given['revoke'] === true ? ['revoked'] : ['valid', 'not valid'];
    return ends.every((end) => done.includes(end)) ? exitCodes.done : exitCodes.failed;
  });
  cli.writeError(reportOf(ends, secrets.length));
  return ended;
}

async function handleKey(
  cli: CliProcess,
  given: Given,
  api: OperatorClient,
  secret: ReturnType<typeof secretsIn>[number],
): Promise<KeyEnd> {
  const found = await api.send('findCredential', secret);
  showResponse(cli, given, found);
  if (found.data === undefined) return 'failed';
  const { credential_id, secret_valid, state } = found.data;
  if (given['revoke'] !== true) return secret_valid ? 'valid' : 'not valid';
  if (state === 'revoked') return 'revoked';
  if (!secret_valid) return 'not valid';
  const revoked = await api.send('revokeCredential', { credential_id });
  showResponse(cli, given, revoked);
  return revoked.data === undefined ? 'failed' : 'revoked';
}

/** For example `keys: 3 (2 revoked, 1 not valid)`. */
function reportOf(ends: readonly KeyEnd[], keys: number): string {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  if (keys > ends.length) counts.set('not handled', keys - ends.length);
  return `keys: ${keys} (${[...counts].map(([end, count]) => `${count} ${end}`).join(', ')})\n`;
}

/** Each secret in a text once, as what the API is sent of it. */
function secretsIn(text: string) {
  const secrets = new Set(text.match(new RegExp(secretPattern, 'g')));
  return [...secrets].map((secret) => ({
    public_id: secret.split('_')[1] ?? '',
    secret_sha256: createHash('sha256').update(secret).digest('hex'),
  }));
}
