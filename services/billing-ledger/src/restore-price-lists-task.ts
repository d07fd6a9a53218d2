import { connectMongo } from '@inventory/mongo/connect';
import { rewindFlag, type Task } from '@inventory/service-host/jobs';
import type { BillingLedgerConfig } from './config.ts';
import { createPriceListStore } from './prices/price-list-store.ts';

/**
 * Before the consumers are rewound: stores the lists that were published after the database's backup,
 * so that the commands that are read again are priced as they were. One that is stored stays.
 */
export const restorePriceListsTask: Task<BillingLedgerConfig> = {
  flag: rewindFlag,
  async run({ config, lifetime, logger }) {
    const service = 'billing-ledger';
    const { kafka } = config;
    // Loaded for this task alone: the service may use another client.
    const { readTopic } = await import('@inventory/messaging/kafka/read-topic');
    const messages = await readTopic({
      ...kafka,
      topic: 'billing.price-lists.v1',
      service,
      logger,
    });
    const mongo = await connectMongo({ ...config.mongodb, service, logger });
    lifetime.defer('MongoDB', () => mongo.close());
    const lists = createPriceListStore(mongo.db);
    const restored: number[] = [];
    for (const message of messages) {
      if (message.type !== 'billing.price-list.v1') continue;
      const { body: list } = message;
      if (await lists.insertPriceList(list)) restored.push(list.version);
    }
    logger.info({ versions: restored }, 'price lists restored');
    return true;
  },
};
