import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import {
  type AccountTerms,
  accountTerms,
  type BalanceView,
  balanceView,
  type HoldList,
  holdList,
  type StatementRow,
  statementPage,
  type UsageReport,
  usageReport,
  type VerifyReport,
  verifyReport,
} from '@inventory/contracts/internal/ledger';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import { createInternalClient, type InternalClient } from '@inventory/http/internal-client';
import type { MessageBus, OutgoingMessage } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace, type TestNamespace } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { type Db, MongoClient } from 'mongodb';
import type { BillingLedgerConfig } from '../../src/config.ts';
import { startBillingLedger } from '../../src/start-billing-ledger.ts';

/** Names and connections of one test file; replicas of the service use them. */
export interface LedgerStage {
  readonly namespace: TestNamespace;
  readonly bus: MessageBus;
  readonly recorder: MessageRecorder;
  /** The ledger's own database. */
  readonly db: Db;
  startReplica(options?: ReplicaOptions): Promise<RunningLedger>;
  /** Sends and waits until each command has an outcome; the first outcome of each, in order. */
  send(...messages: readonly OutgoingMessage[]): Promise<BillingOutcome[]>;
  outcomesOf(accountId: AccountId): readonly BillingOutcome[];
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly clock?: Clock;
  readonly config?: Partial<BillingLedgerConfig>;
}

export interface RunningLedger {
  readonly client: InternalClient;
  balance(accountId: AccountId): Promise<BalanceView>;
  holds(accountId: AccountId): Promise<HoldList>;
  oldHolds(olderThanSeconds: number, limit?: number): Promise<HoldList>;
  terms(accountId: AccountId): Promise<AccountTerms>;
  usage(
    accountId: AccountId,
    from: string,
    to: string,
    projectId?: ProjectId,
  ): Promise<UsageReport>;
  statement(accountId: AccountId, limit?: number): Promise<StatementRow[]>;
  verify(): Promise<VerifyReport>;
  readiness(): Promise<{ readonly status: number; readonly problems: readonly string[] }>;
  stop(): Promise<void>;
}

const database = 'ledger';

export async function openStage(): Promise<LedgerStage> {
  const namespace = await openNamespace();
  const bus = await openTestBus(namespace);
  const recorder = await recordMessages(bus, [
    'billing.outcomes.v1',
    'billing.price-lists.v1',
    'replies.v1',
  ]);
  const mongo = await MongoClient.connect(namespace.mongodbUri);
  const running = new Set<RunningLedger>();

  return {
    namespace,
    bus,
    recorder,
    db: mongo.db(namespace.database(database)),
    async startReplica(options = {}) {
      const started = await startReplica(namespace, options);
      const ledger = {
        ...started,
        stop: async () => {
          running.delete(ledger);
          await started.stop();
        },
      };
      running.add(ledger);
      return ledger;
    },
    async send(...messages) {
      await bus.publish(messages);
      return waitFor('every command has an outcome', () => {
        const outcomes = recorder.of('billing.outcome.v1');
        const found = messages.map(({ id, body }) =>
          outcomes.find(
            (outcome) =>
              outcome.commandId === id &&
              'accountId' in body &&
              outcome.accountId === body.accountId,
          ),
        );
        return found.every((outcome) => outcome !== undefined) && found;
      });
    },
    outcomesOf: (accountId) =>
      recorder.of('billing.outcome.v1').filter((outcome) => outcome.accountId === accountId),
    async close() {
      await Promise.all([...running].map((ledger) => ledger.stop()));
      await bus.close();
      await mongo.db(namespace.database(database)).dropDatabase();
      await mongo.close();
    },
  };
}

async function startReplica(
  namespace: TestNamespace,
  { clock, config }: ReplicaOptions,
): Promise<RunningLedger> {
  const service = await startTestService({
    config: {
      ...testServiceConfig(namespace, database),
      commits: { commandsMax: 500, entriesMax: 250 },
      cache: { accountsMax: 1_000, recentKeysMax: 10_000 },
      snapshots: { everyEntries: 20, passIntervalMs: 3_600_000 },
      priceRefreshIntervalMs: 200,
      verifyIntervalMs: 3_600_000,
      // A test's own clock is not that of the store.
      clockOffsetMaxMs: clock ? Number.MAX_SAFE_INTEGER : 60_000,
      ...config,
    },
    start: startBillingLedger,
    ...(clock ? { clock } : {}),
  });
  const client = createInternalClient({
    baseUrl: service.url,
    service: 'billing-ledger',
    serviceToken: undefined,
    timeoutMs: 600_000,
  });
  return {
    ...readsOf(client),
    client,
    readiness: () => readReadiness(service.url),
    stop: () => stopReplica(service, client),
  };
}

function readsOf(client: InternalClient): Omit<RunningLedger, 'client' | 'readiness' | 'stop'> {
  const path = (accountId: AccountId, part: string) => `/accounts/${accountId}/${part}`;
  return {
    balance: (id) => client.json(balanceView, { method: 'GET', path: path(id, 'balance') }),
    holds: (id) => client.json(holdList, { method: 'GET', path: path(id, 'holds') }),
    terms: (id) => client.json(accountTerms, { method: 'GET', path: path(id, 'terms') }),
    usage: (id, from, to, projectId) =>
      client.json(usageReport, {
        method: 'GET',
        path: path(id, 'usage'),
        query: { from, to, ...(projectId ? { project_id: projectId } : {}) },
      }),
    oldHolds: (older_than_seconds, limit = 100) =>
      client.json(holdList, {
        method: 'GET',
        path: '/holds',
        query: { older_than_seconds, limit },
      }),
    verify: () => client.json(verifyReport, { method: 'POST', path: '/verify' }),
    async statement(id, limit = 100) {
      const rows: StatementRow[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const query: Record<string, number> = { after_seq: after, limit };
        const call = { method: 'GET', path: path(id, 'statement'), query } as const;
        const page = await client.json(statementPage, call);
        rows.push(...page.items);
        after = page.nextAfterSeq;
      }
      return rows;
    },
  };
}

async function readReadiness(url: string) {
  const response = await fetch(`${url}/readyz`);
  const { problems } = (await response.json()) as { problems: string[] };
  return { status: response.status, problems };
}

async function stopReplica(
  service: { stop(): Promise<void> },
  client: InternalClient,
): Promise<void> {
  await client.close();
  await service.stop();
}
