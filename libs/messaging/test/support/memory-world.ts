import { deadLetterTopic } from '@inventory/contracts/topics';
import { testLogger } from '@inventory/testkit/namespace';
import type { MessageBus } from '../../src/bus.ts';
import { createMemoryBroker } from '../../src/memory/memory-bus.ts';
import type { BusWorld } from './bus-world.ts';

export async function openMemoryWorld(): Promise<BusWorld> {
  const broker = createMemoryBroker(testLogger, 2);
  const buses: MessageBus[] = [];
  return {
    async openBus() {
      const bus = broker.connect();
      buses.push(bus);
      return bus;
    },
    put: async (topic, record) => broker.append(topic, record),
    letters: async (topic) => broker.log.records(deadLetterTopic(topic)),
    close: async () => {
      await Promise.all(buses.map((bus) => bus.close()));
    },
  };
}
