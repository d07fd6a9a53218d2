import { openBus } from '../bench-bus.ts';

/** Reads replies as a replica of the gateway does: all of them, and decodes its own. */
async function main([brokers = '', topicPrefix = '', replica = '']: readonly string[]) {
  const bus = await openBus(brokers, topicPrefix);
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
