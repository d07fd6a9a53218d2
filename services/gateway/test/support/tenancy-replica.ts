import type { MessageBus } from '@inventory/messaging/bus';
import { connectMongo } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { type Clock, systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openLifetime } from '@inventory/runtime/lifetime';
import { type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { openTestBus } from '@inventory/testkit/test-bus';
import type { Db } from 'mongodb';
import { type Broadcasts, openBroadcasts } from '../../src/commands/open-broadcasts.ts';
import { gatewayIndexes } from '../../src/gateway-indexes.ts';
import { openTenancy, type Tenancy } from '../../src/tenancy/open-tenancy.ts';

/** The tenancy of one gateway replica, on connections of its own. */
export interface TenancyReplica {
  readonly tenancy: Tenancy;
  readonly bus: MessageBus;
  readonly broadcasts: Broadcasts;
  readonly db: Db;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly namespace: TestNamespace;
  readonly clock?: Clock;
  /** Stands in the way of what this replica publishes. */
  readonly publish?: MessageBus['publish'];
}

export async function openTenancyReplica(options: ReplicaOptions): Promise<TenancyReplica> {
  const { namespace, clock = systemClock } = options;
  const mongo = await connectMongo({
    uri: namespace.mongodbUri,
    database: namespace.database('gateway'),
    service: 'gateway',
    logger: testLogger,
  });
  await ensureIndexes(mongo.db, gatewayIndexes);
  const bus = await openTestBus(namespace);
  const lifetime = openLifetime(testLogger, 60_000);
  const broadcasts = await openBroadcasts(bus, lifetime, only({ isExpected: () => true }));
  const process = { clock, identifiers: systemIdentifiers, lifetime, logger: testLogger };
  const tenancy = openTenancy(only(process), {
    db: mongo.db,
    bus: options.publish ? { ...bus, publish: options.publish } : bus,
    broadcasts,
  });
  return {
    tenancy,
    bus,
    broadcasts,
    db: mongo.db,
    async close() {
      await lifetime.close();
      await bus.close();
      await mongo.close();
    },
  };
}

/** A Project of a new account with one Credential, and its secret. */
export async function newCustomer(tenancy: Tenancy) {
  const account = await tenancy.createAccount({ name: 'Trader' });
  const project = await tenancy.createProject({ accountId: account.accountId, name: null });
  const { credential, secret } = await tenancy.issueCredential({
    projectId: project.projectId,
    name: null,
    scopes: ['*'],
    expiresAtMs: null,
    networkPolicy: null,
  });
  return { account, project, credential, secret };
}
