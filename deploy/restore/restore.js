'use strict';

/**
 * Restores the product in a cluster from a backup, one step for each command:
 * docs/operators/backup-and-restore.md. Needs kubectl with the rights of an administrator of the
 * namespace; the step `revoke` needs OPERATOR_URL and OPERATOR_TOKEN as the operator's command line does.
 */
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { services } = require('../../scripts/kubernetes/production-overlay.js');
const { createCluster } = require('./cluster.js');
const { steps } = require('./steps.js');

const usage = `node deploy/restore/restore.js STEP [options], in this order:
${steps.map(({ name, does }) => `  ${name.padEnd(8)} ${does}`).join('\n')}
Options:
  --backup-at TIME   when the backup began, UTC (rewind, revoke)
  --only SERVICE     one database alone (drop, rewind)
  --claim NAME       volume claim with the dump (load); without it nothing is loaded
  --archive FILE     the dump in it (load)
  --image IMAGE      image with mongorestore (load; default: mongo:8)
  --audit FILE       log lines of the gateways since the backup (revoke)`;

function readOptions() {
  const text = { type: 'string' };
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      'backup-at': text,
      only: text,
      claim: text,
      archive: text,
      image: text,
      audit: text,
    },
  });
  const [name, ...more] = positionals;
  const step = steps.find((one) => one.name === name);
  if (step === undefined || more.length > 0) throw new Error(usage);
  if (values.only && !services.includes(values.only)) throw new Error(usage);
  const backupAtMs = Date.parse(values['backup-at'] ?? '');
  if (['rewind', 'revoke'].includes(name) && !/Z$/.test(values['backup-at'] ?? ''))
    throw new Error(`${name} needs --backup-at, such as 2026-11-21T03:00:00Z`);
  if (name === 'revoke' && !values.audit) throw new Error('revoke needs --audit');
  const auditLines = values.audit ? readFileSync(values.audit, 'utf8').split('\n') : [];
  return { step, options: { ...values, backupAtMs, auditLines } };
}

/** Of the address and token that the operator's command line uses. */
function operator() {
  const { OPERATOR_URL: url, OPERATOR_TOKEN: token } = process.env;
  if (!url || !token) throw new Error('OPERATOR_URL and OPERATOR_TOKEN are not set');
  const library = join(resolve(__dirname, '../..'), 'libs/operator-client/dist/operator-client.js');
  return require(library).createOperatorClient({ url, token });
}

async function main() {
  const { step, options } = readOptions();
  const print = (text) => process.stdout.write(text);
  const done = await step.run(createCluster({ operator, print }), options);
  for (const line of done ?? []) print(`${line}\n`);
  const next = steps[steps.indexOf(step) + 1];
  print(next ? `${step.name} is done; next: ${next.name}\n` : `${step.name} is done\n`);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
