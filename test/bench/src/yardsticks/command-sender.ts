import { accountId } from '@inventory/contracts/ids';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';
import { adjustCommand } from '../adjust-command.ts';

/** Sends one account so many commands at once, again and again. */
async function main([brokers = '', topicPrefix = '', account = '', ...numbers]: readonly string[]) {
  const [burst = 1, everyMs = 1_000] = numbers.map(Number);
  const owner = accountId.parse(account);
  const bus = await createKafkaBus({
    brokers: brokers.split(','),
    topicPrefix,
    service: 'bench',
    logger: createLogger({ service: 'benchmark', level: 'silent' }),
    identifiers: systemIdentifiers,
  });
  let last: Promise<void> = Promise.resolve();
  setInterval(() => {
    const commands = Array.from({ length: burst }, () => adjustCommand(owner));
    last = last.then(() => bus.publish(commands));
  }, everyMs);
  process.send?.('ready');
}

void main(process.argv.slice(2));
