'use strict';

/**
 * Makes every Secret that deploy/kubernetes/overlays/production refers to, once, as one file for
 * `kubectl create -f` or for a secret store. Nothing is sent anywhere; the file is readable by its
 * owner alone and is never overwritten.
 */
const { createHash, randomBytes } = require('node:crypto');
const { readFileSync, writeFileSync } = require('node:fs');
const { parseArgs } = require('node:util');
const { namespace, services } = require('./kubernetes/production-overlay.js');
const { readValues } = require('./kubernetes/values.js');

const usage = `node scripts/make-secrets.js --values FILE --out secrets.json [--operator NAME]
  --values FILE     the values of the installation (scripts/make-production.js); paths in it are
                    relative to the folder in which this is run
  --operator NAME   the first operator, role admin (default: admin)
PLATFORM_EGRESS of the environment is that of the refresh-collector (default: direct).
Prints, once, what belongs elsewhere: the operator's token, and the commands that create the users in
Kafka and MongoDB.`;

const callers = ['gateway', 'refresh-collector', 'event-stream'];

const newSecret = () => randomBytes(32).toString('base64url');
const digestOf = (token) => createHash('sha256').update(token).digest('hex');
const byName = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));

/** It has a database of its own, and everything else of the refresh-collector. */
const sandboxOf = ({ sandbox }) => (sandbox ? ['sandbox-refresh-collector'] : []);

function readOptions() {
  const text = { type: 'string' };
  const { values: options } = parseArgs({
    options: { values: text, out: text, operator: { ...text, default: 'admin' } },
  });
  if (!options.out || !options.values) throw new Error(usage);
  return { ...options, values: readValues(options.values) };
}

/** The files or settings of each Secret, and what is to be created outside of the cluster. */
function makeSecrets({ operator, values }) {
  const tokens = byName(callers, newSecret);
  const operatorToken = newSecret();
  const kafka = values.backends_secured ? byName([...services, 'admin'], newSecret) : {};
  const mongodb = byName([...services, ...sandboxOf(values)], newSecret);
  const ca = (file) => (file ? { 'ca.crt': readFileSync(file, 'utf8') } : {});
  const database = (service) => ({
    MONGODB_URI: values.mongodb.uri
      .replaceAll('{user}', `inventory-${service}`)
      .replaceAll('{password}', mongodb[service]),
  });
  const ofServices = {
    gateway: {
      CURSOR_KEYS: newSecret(),
      OPERATORS: `${operator}:admin:${digestOf(operatorToken)}`,
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
    ...byName(sandboxOf(values), database),
    ...(values.backends_secured ? { 'mongodb-client': ca(values.mongodb.ca_file) } : {}),
  };
  for (const [user, password] of Object.entries(kafka)) {
    secrets[`kafka-${user}`] = { ...ca(values.kafka.ca_file), password };
  }
  return { secrets, operatorToken, kafka, mongodb };
}

/** For mongosh: a user with access to its own database alone. */
function createMongodbUser([service, password]) {
  const role = `{ role: 'readWrite', db: 'inventory_${service.replaceAll('-', '_')}' }`;
  return `db.getSiblingDB('admin').createUser({ user: 'inventory-${service}', pwd: '${password}', roles: [${role}] });`;
}

function createKafkaUser([name, password]) {
  const config = `SCRAM-SHA-512=[password=${password}]`;
  return `$KAFKA_CONFIGS --alter --entity-type users --entity-name inventory-${name} --add-config '${config}'`;
}

function main() {
  const options = readOptions();
  const { secrets, operatorToken, kafka, mongodb } = makeSecrets(options);
  const items = Object.entries(secrets).map(([name, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData,
  }));
  const list = { apiVersion: 'v1', kind: 'List', items };
  writeFileSync(options.out, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  const lines = [
    `operator ${options.operator}, token: ${operatorToken}`,
    'MongoDB users, in mongosh:',
    ...Object.entries(mongodb).map(createMongodbUser),
    ...(options.values.backends_secured
      ? [
          "Kafka users, where KAFKA_CONFIGS is 'kafka-configs.sh --bootstrap-server … --command-config …':",
          ...Object.entries(kafka).map(createKafkaUser),
        ]
      : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
