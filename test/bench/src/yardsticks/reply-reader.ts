import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';

/** Reads replies as a replica of the gateway does: all of them, and decodes its own. */
async function main([brokers = '', topicPrefix = '', replica = '']: readonly string[]) {
  const bus = await createKafkaBus({
    brokers: brokers.split(','),
    topicPrefix,
    service: 'bench',
    logger: createLogger({ service: 'benchmark', level: 'silent' }),
    identifiers: systemIdentifiers,
  });
  let own = 0;
  await bus.broadcast({
    name: 'bench',
    topics: ['replies.v1'],
    wants: ({ key }) => key.startsWith(replica),
    onMessage: () => {
      own += 1;
    },
  });
  process.on('message', () => process.send?.(own));
  process.send?.('ready');
}

void main(process.argv.slice(2));
