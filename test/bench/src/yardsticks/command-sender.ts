import { accountId } from '@inventory/contracts/ids';
import { adjustCommand } from '../adjust-command.ts';
import { openBus } from '../bench-bus.ts';

/** Sends one account so many commands at once, again and again. */
async function main([brokers = '', topicPrefix = '', account = '', ...numbers]: readonly string[]) {
  const [burst = 1, everyMs = 1_000] = numbers.map(Number);
  const owner = accountId.parse(account);
  const bus = await openBus(brokers, topicPrefix);
  let last: Promise<void> = Promise.resolve();
  setInterval(() => {
    const commands = Array.from({ length: burst }, () => adjustCommand(owner));
    last = last.then(() => bus.publish(commands));
  }, everyMs);
  process.send?.('ready');
}

void main(process.argv.slice(2));
