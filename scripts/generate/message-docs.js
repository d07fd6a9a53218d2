'use strict';

/** The page of topics, and the JSON Schema of each message type's body. */
const { join } = require('node:path');

const folder = 'docs/generated';
const dayMs = 24 * 3_600_000;

/** Files to write: path below the root, and content. */
function messageDocs(root) {
  const built = join(root, 'libs/contracts/dist');
  const { messages, messageTypes } = require(join(built, 'messages.js'));
  const { deadLetterTopic, serviceNames, topicNames, topics } = require(join(built, 'topics.js'));
  const { z } = require(require.resolve('zod', { paths: [built] }));
  const contracts = messageTypes.map((type) => ({ type, ...messages[type] }));
  const { accessOf } = require(join(built, 'topic-access.js'));
  const page = topicsPage({ contracts, deadLetterTopic, topicNames, topics });
  return [
    { path: `${folder}/topics.md`, content: page },
    { path: `${folder}/kafka-rights.md`, content: rightsPage(serviceNames, accessOf) },
    ...contracts.map((contract) => ({
      path: `${folder}/messages/${contract.type}.json`,
      content: `${JSON.stringify(bodySchema(z, contract, topics), null, 2)}\n`,
    })),
  ];
}

/** Readers ignore unknown fields, so the schema forbids none. */
function bodySchema(z, contract, topics) {
  const { $schema, ...schema } = z.toJSONSchema(contract.body, {
    io: 'input',
    unrepresentable: 'any',
  });
  return {
    $schema,
    title: contract.type,
    description: `Body of ${contract.type} on ${contract.topic}, keyed by ${topics[contract.topic].key}.`,
    ...schema,
  };
}

function topicsPage({ contracts, deadLetterTopic, topicNames, topics }) {
  const rows = topicNames.map((name) => {
    const { key, retentionMs, producers, consumers, readers } = topics[name];
    const letters = consumers.length > 0 ? `\`${deadLetterTopic(name)}\`` : 'none';
    const services = [producers, consumers, readers].map((names) => names.join(', ') || 'none');
    return row([`\`${name}\``, `\`${key}\``, retention(retentionMs), ...services, letters]);
  });
  const types = contracts.map(({ type, topic }) =>
    row([`[\`${type}\`](messages/${type}.json)`, `\`${topic}\``]),
  );
  return [
    '# Topics and messages',
    '',
    'Generated from `libs/contracts` by `npm run generate`.',
    '',
    'A record’s headers are `message-type`, `message-id` (the same for a repetition) and, where they apply, `waiting-id`, `deadline-ms`, `traceparent` and `tracestate`. Its value is the body as JSON. Order holds per key. The replicas of a consumer share the work of a topic; every replica of a reader reads it completely, from its start on. The rights of the Kafka users follow from this table: [kafka-rights.md](kafka-rights.md).',
    '',
    '## Topics',
    '',
    row(['Topic', 'Key', 'Kept', 'Producers', 'Consumers', 'Readers', 'Dead letters']),
    row(Array.from({ length: 7 }, () => '---')),
    ...rows,
    '',
    '## Messages',
    '',
    row(['Message', 'Topic']),
    row(['---', '---']),
    ...types,
    '',
  ].join('\n');
}

/** The rights of each service, as a table and as commands of Kafka's own tool. */
function rightsPage(serviceNames, accessOf) {
  const rows = serviceNames.flatMap((service) =>
    accessOf(service).map(({ resource, name, pattern, operation }) =>
      row([service, operation, resource, `\`${name}${pattern === 'prefixed' ? '…' : ''}\``]),
    ),
  );
  return [
    '# Rights of the Kafka users',
    '',
    'Generated from the topic catalogue (`libs/contracts`) by `npm run generate`. The topics job creates them where `ACL_PRINCIPALS` is set ([deploying](../operators/deploying.md#kafka-users)). Each right is `Allow` from every host; `Read` and `Write` include `Describe`; names get the prefix of `KAFKA_TOPIC_PREFIX`; a name that ends in … is a prefix. Nothing else is needed, on the cluster neither.',
    '',
    row(['Service', 'Operation', 'Resource', 'Name']),
    row(['---', '---', '---', '---']),
    ...rows,
    '',
    '## The same as commands',
    '',
    'For a cluster on which the topics job has no right to alter access. `client.properties` holds the login of an administrator, `PREFIX` the value of `KAFKA_TOPIC_PREFIX`.',
    '',
    '```',
    'PREFIX=',
    'acl() { kafka-acls.sh --bootstrap-server kafka:9092 --command-config client.properties --add "$@"; }',
    ...serviceNames.flatMap((service) => ['', ...commandsOf(service, accessOf(service))]),
    '```',
    '',
  ].join('\n');
}

/** One command for all names that a service may use in the same way. */
function commandsOf(service, rights) {
  const commands = new Map();
  for (const { resource, name, pattern, operation } of rights) {
    const command = `acl --allow-principal User:inventory-${service} --operation ${operation} --resource-pattern-type ${pattern}`;
    const named = `--${resource} "\${PREFIX}${name}"`;
    const key = `${command} ${resource}`;
    commands.set(key, `${commands.get(key) ?? command} ${named}`);
  }
  return [...commands.values()];
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}

function retention(ms) {
  return ms % dayMs === 0 ? `${ms / dayMs} days` : `${ms / 3_600_000} h`;
}

module.exports = { messageDocs, messageDocsFolder: folder };
