'use strict';

/** What was taken away since the backup, and is there again: repeated from the audit lines of the gateways. */

const isoTime = (value) => (typeof value === 'number' ? new Date(value).toISOString() : value);
const pick = (fields, names) =>
  Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
/** The same call again, with these fields. */
const same =
  (operation, ...names) =>
  (fields) => [operation, pick(fields, names)];

const change = ['state', 'network_policy', 'rate_limit_per_minute'];
const endpoint = ['project_id', 'endpoint_id'];
const repetitions = {
  'credential.revoke': same('revokeCredential', 'credential_id'),
  'credential.change': ({ expires_at: expiresAt, ...fields }) => [
    'changeCredential',
    {
      ...pick(fields, ['credential_id', 'scopes', 'network_policy']),
      ...(expiresAt === undefined ? {} : { expires_at: isoTime(expiresAt) }),
    },
  ],
  'credential.rotate': endOfReplaced,
  'account.change': same(
    'changeAccount',
    'account_id',
    ...change,
    'traffic_limit_per_minute',
    'events_enabled',
    'capture_enabled',
  ),
  'project.change': same('changeProject', 'project_id', ...change),
  'service-account.change': same('changeServiceAccount', 'service_account_id', ...change),
  'webhook-endpoint.change': same('changeWebhookEndpoint', ...endpoint, 'state'),
  'webhook-endpoint.delete': same('deleteWebhookEndpoint', ...endpoint),
  'inventory.erase': same('eraseInventory', 'platform_id', 'app_id', 'context_id'),
};

/** The new secret is lost with the database: the replaced one ends when it would have ended. */
function endOfReplaced({ credential_id, overlap_seconds: overlapSeconds = 0 }, atMs, nowMs) {
  const endMs = atMs + 1_000 * overlapSeconds;
  return endMs > nowMs
    ? ['changeCredential', { credential_id, expires_at: isoTime(endMs) }]
    : ['revokeCredential', { credential_id }];
}

/** The calls that repeat what the lines have, oldest first. */
function repetitionsOf(lines, { fromMs, nowMs = Date.now() }) {
  return lines
    .map(auditOf)
    .filter((one) => one !== null && one.atMs >= fromMs && one.audit.outcome === 'done')
    .sort((left, right) => left.atMs - right.atMs)
    .flatMap(({ atMs, audit: { action, operator: _, outcome: _outcome, ...fields } }) => {
      const [operation, input] = repetitions[action]?.(fields, atMs, nowMs) ?? [];
      return operation === undefined ? [] : [{ action, operation, input }];
    });
}

/** A line of the log with an audited change; null for any other. */
function auditOf(line) {
  const start = line.indexOf('{');
  if (start < 0 || !line.includes('"audit"')) return null;
  try {
    const { audit, time } = JSON.parse(line.slice(start));
    return typeof audit?.action === 'string' ? { audit, atMs: new Date(time).getTime() } : null;
  } catch {
    return null;
  }
}

/** Resolves with what was done, a line each; what the backup does not have is lost, and is said so. */
async function repeatRevocations(operator, lines, range) {
  const done = [];
  for (const { action, operation, input } of repetitionsOf(lines, range)) {
    const target = Object.values(input)[0];
    try {
      await operator.call(operation, input);
      done.push(`${action} ${target}: ${operation}`);
    } catch (error) {
      if (error.status !== 404) throw error;
      done.push(`${action} ${target}: not in the backup`);
    }
  }
  return done;
}

module.exports = { repeatRevocations, repetitionsOf };
