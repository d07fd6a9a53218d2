'use strict';

/**
 * Makes every Secret that deploy/kubernetes/overlays/production refers to, once, as one file for
 * `kubectl create -f` or for a secret store. Nothing is sent anywhere; the file is readable by its
 * owner alone and is never overwritten.
 */
const { createHash, randomBytes } = require('node:crypto');
const { readFileSync, writeFileSync } = require('node:fs');
const { parseArgs } = require('node:util');

const usage = `node scripts/make-secrets.js --out secrets.json --mongodb-uri URI [options]
  --mongodb-uri URI     with {user} and {password}: mongodb+srv://{user}:{password}@cluster.example/
  --operator NAME       the first operator, role admin (default: admin)
  --kafka-ca FILE       PEM file of Kafka's authority
  --mongodb-ca FILE     PEM file of MongoDB's authority
  --namespace NAME      default: game-item-inventory
PLATFORM_EGRESS of the environment is that of the refresh-collector (default: direct).
Prints, once, what belongs elsewhere: the operator's token, and the users to create in Kafka and MongoDB.`;

const services = [
  'gateway',
  'refresh-collector',
  'billing-ledger',
  'revision-store',
  'event-stream',
];
const callers = ['gateway', 'refresh-collector', 'event-stream'];

const newSecret = () => randomBytes(32).toString('base64url');
const digestOf = (token) => createHash('sha256').update(token).digest('hex');
const byName = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));

function readOptions() {
  const text = { type: 'string' };
  const { values } = parseArgs({
    options: {
      out: text,
      'mongodb-uri': text,
      operator: { ...text, default: 'admin' },
      'kafka-ca': text,
      'mongodb-ca': text,
      namespace: { ...text, default: 'game-item-inventory' },
    },
  });
  const uri = values['mongodb-uri'] ?? '';
  if (!values.out || !uri.includes('{user}') || !uri.includes('{password}')) throw new Error(usage);
  return { ...values, uri };
}

/** The files or settings of each Secret, and what is to be created outside of the cluster. */
function makeSecrets(options) {
  const tokens = byName(callers, newSecret);
  const operatorToken = newSecret();
  const kafka = byName([...services, 'admin'], newSecret);
  const mongodb = byName(services, newSecret);
  const ca = (file) => (file === undefined ? {} : { 'ca.crt': readFileSync(file, 'utf8') });
  const database = (service) => ({
    MONGODB_URI: options.uri
      .replaceAll('{user}', `inventory-${service}`)
      .replaceAll('{password}', mongodb[service]),
  });
  const ofServices = {
    gateway: {
      CURSOR_KEYS: newSecret(),
      OPERATORS: `${options.operator}:admin:${digestOf(operatorToken)}`,
    },
    'refresh-collector': { PLATFORM_EGRESS: process.env.PLATFORM_EGRESS || 'direct' },
    'event-stream': { WEBHOOK_SECRET_KEYS: newSecret() },
  };
  const secrets = {
    'service-callers': {
      SERVICE_CALLERS: callers.map((name) => `${name}:${digestOf(tokens[name])}`).join(','),
    },
    ...byName(services, (service) => ({
      ...(tokens[service] === undefined ? {} : { SERVICE_TOKEN: tokens[service] }),
      ...database(service),
      ...ofServices[service],
    })),
    'mongodb-client': ca(options['mongodb-ca']),
  };
  for (const [user, password] of Object.entries(kafka)) {
    secrets[`kafka-${user}`] = { ...ca(options['kafka-ca']), password };
  }
  return { secrets, operatorToken, kafka, mongodb };
}

function main() {
  const options = readOptions();
  const { secrets, operatorToken, kafka, mongodb } = makeSecrets(options);
  const items = Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: options.namespace },
    stringData,
  }));
  const list = { apiVersion: 'v1', kind: 'List', items };
  writeFileSync(options.out, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  const users = (passwords) =>
    Object.entries(passwords).map(([user, password]) => `  inventory-${user} ${password}`);
  const lines = [
    `operator ${options.operator}, token: ${operatorToken}`,
    'Kafka users:',
    ...users(kafka),
    'MongoDB users, each with its own database only:',
    ...users(mongodb),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
