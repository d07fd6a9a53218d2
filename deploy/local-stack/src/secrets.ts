import { randomBytes } from 'node:crypto';
import { readJson, writePrivateJson } from './private-file.ts';

/** Created once for a directory, so that cursors and scripts work after a restart. */
export interface StackSecrets {
  /** The tokens of the services are made of it. */
  readonly serviceTokenKey: string;
  readonly operatorToken: string;
  /** As the gateway's setting CURSOR_KEYS. */
  readonly cursorKeys: string;
  /** As the event-stream's setting WEBHOOK_SECRET_KEYS. */
  readonly webhookSecretKeys: string;
}

const secretBytes = 32;

/** The secrets in the file; missing ones are created and added. */
export function keepSecrets(path: string): StackSecrets {
  const kept = readJson(path) ?? {};
  const secrets = {
    service_token_key: textOr(kept['service_token_key']),
    operator_token: textOr(kept['operator_token']),
    cursor_keys: textOr(kept['cursor_keys']),
    webhook_secret_keys: textOr(kept['webhook_secret_keys']),
  };
  const complete = Object.entries(secrets).every(([name, value]) => kept[name] === value);
  if (!complete) writePrivateJson(path, secrets);
  return {
    serviceTokenKey: secrets.service_token_key,
    operatorToken: secrets.operator_token,
    cursorKeys: secrets.cursor_keys,
    webhookSecretKeys: secrets.webhook_secret_keys,
  };
}

function textOr(kept: unknown): string {
  if (typeof kept === 'string' && kept !== '') return kept;
  return randomBytes(secretBytes).toString('base64url');
}
