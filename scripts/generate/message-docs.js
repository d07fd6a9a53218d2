'use strict';

/** The page of topics, and the JSON Schema of each message type's body. */
const { join } = require('node:path');

const folder = 'docs/generated';
const dayMs = 24 * 3_600_000;

/** Files to write: path below the root, and content. */
function messageDocs(root) {
  const built = join(root, 'libs/contracts/dist');
  const { messages, messageTypes } = require(join(built, 'messages.js'));
  const { deadLetterTopic, topicNames, topics } = require(join(built, 'topics.js'));
  const { z } = require(require.resolve('zod', { paths: [built] }));
  const contracts = messageTypes.map((type) => messages[type]);
  const page = topicsPage({ contracts, deadLetterTopic, topicNames, topics });
  return [
    { path: `${folder}/topics.md`, content: page },
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
    const { delivery, key, retentionMs, producers, consumers } = topics[name];
    const letters = delivery === 'work' ? `\`${deadLetterTopic(name)}\`` : 'none';
    const cells = [`\`${name}\``, delivery, `\`${key}\``, retention(retentionMs)];
    return row([...cells, producers.join(', '), consumers.join(', '), letters]);
  });
  const types = contracts.map(({ type, topic }) =>
    row([`[\`${type}\`](messages/${type}.json)`, `\`${topic}\``]),
  );
  return [
    '# Topics and messages',
    '',
    'Generated from `libs/contracts` by `npm run generate`.',
    '',
    'A record’s headers are `message-type`, `message-id` (the same for a repetition) and, where they apply, `waiting-id`, `deadline-ms`, `traceparent` and `tracestate`. Its value is the body as JSON. Order holds per key. `work` topics are shared by the replicas of a service; every replica reads `broadcast` topics completely, from its start on.',
    '',
    '## Topics',
    '',
    row(['Topic', 'Delivery', 'Key', 'Kept', 'Written by', 'Read by', 'Dead letters']),
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

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}

function retention(ms) {
  return ms % dayMs === 0 ? `${ms / dayMs} days` : `${ms / 3_600_000} h`;
}

module.exports = { messageDocs, messageDocsFolder: folder };
