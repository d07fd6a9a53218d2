import { createHash, randomBytes } from 'node:crypto';
import { operatorRole } from '@inventory/contracts/vocabulary';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { createInternalClient } from '@inventory/http/internal-client';
import { createPendingReplies } from '@inventory/messaging/pending-replies';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';
import { openNamespace, type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Db } from 'mongodb';
import { expectOperatorDocumented } from '../../../../test/support/operator-contract.ts';
import { createLedgerClient } from '../../src/accounts/ledger-client.ts';
import { createCaptureStore } from '../../src/captures/capture-store.ts';
import { createRequestReplyClient, replyTypes } from '../../src/commands/request-reply-client.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { createCursorSealer } from '../../src/http/sealed-cursor.ts';
import { createAuditStore } from '../../src/operator/audit-store.ts';
import { openOperatorApi } from '../../src/operator/operator-app.ts';
import type { OperatorConfig } from '../../src/operator/operator-config.ts';
import type { OperatorServices } from '../../src/operator/operator-services.ts';
import { createRevisionStoreEraseClient } from '../../src/operator/operator-services.ts';
import { openPromisedSecrets } from '../../src/secrets/open-promised-secrets.ts';
import type { Tenancy } from '../../src/tenancy/open-tenancy.ts';
import { createWatchStore } from '../../src/watches/watch-store.ts';
import { type FakeBooks, startFakeBooks } from './fake-books.ts';
import { type FakeWebhooks, startFakeWebhooks } from './fake-webhooks.ts';
import { type HttpFake, jsonResponse, startHttpFake } from './http-fake.ts';
import { farMs, patientDeadlines } from './patience.ts';
import { openTenancyReplica } from './tenancy-replica.ts';
import { operatorWith } from './test-operators.ts';

/** An operator API over real HTTP, Kafka and MongoDB, with fake neighbours. */
export interface OperatorWorld {
  readonly url: string;
  readonly token: string;
  readonly namespace: TestNamespace;
  readonly tenancy: Tenancy;
  readonly db: Db;
  readonly books: FakeBooks;
  readonly collector: HttpFake;
  readonly revisions: HttpFake;
  readonly webhooks: FakeWebhooks;
  /** Paths that were erased. */
  readonly erased: string[];
  /** Every line that was logged. */
  readonly log: string[];
  /** Throws when the answer differs from the operator document. */
  call(call: OperatorCall): Promise<OperatorResponse>;
  /** The same calls to an API that has these instead of its own dependencies. */
  callWith(
    services: Partial<OperatorServices>,
    api?: Partial<OperatorConfig['operatorApi']>,
  ): Promise<OperatorWorld['call']>;
  close(): Promise<void>;
}

export interface OperatorCall {
  readonly method?: string;
  /** Below `/operator/v1`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text or bytes already. */
  readonly body?: unknown;
  /** Instead of the right one; null sends none. */
  readonly authorization?: string | null;
  /** The ledger does not answer: the call ends after 300 ms. */
  readonly isUndecided?: boolean;
}

export interface OperatorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member.
  readonly json: any;
}

/** An operator for each role, whose token is `token-of-role-<role>`. */
const roleOperators = operatorRole.options.map((role) =>
  operatorWith(role, `token-of-role-${role}`, role),
);

export async function openOperatorWorld(): Promise<OperatorWorld> {
  const namespace = await openNamespace();
  const neighbours = await openTestBus(namespace);
  const books = await startFakeBooks(neighbours);
  const { collector, revisions, erased } = await startOtherFakes();
  const webhooks = await startFakeWebhooks();
  const replica = await openTenancyReplica({ namespace });
  const replies = createPendingReplies();
  replica.broadcasts.on(replyTypes, replies.onMessage);
  const clientOf = (service: string, { url: baseUrl }: HttpFake) =>
    createInternalClient({ service, baseUrl, serviceToken: undefined, timeoutMs: farMs });
  const clients = {
    ledger: clientOf('billing-ledger', books.http),
    collector: clientOf('refresh-collector', collector),
    revisions: clientOf('revision-store', revisions),
    webhooks: clientOf('event-stream', webhooks.http),
  };
  const log: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level: 'trace',
    destination: { write: (line) => log.push(line) },
  });
  // Looks like a real one, so that a leak would be found, and is none.
  const token = createHash('sha256').update(namespace.topicPrefix).digest('hex');
  const servers: HttpServer[] = [];
  const cursorKeys = [randomBytes(32).toString('base64url')];
  const cursors = createCursorSealer(cursorKeys);
  const config = { cursorKeys, deadlines: patientDeadlines };
  const secrets = openPromisedSecrets(replica.db, { config, clock: systemClock });
  const watches = createWatchStore(replica.db, patientDeadlines, testLogger);
  const operators = [operatorWith('tester', token, 'admin'), ...roleOperators];
  const apiWith = async (
    deadlines: Deadlines,
    services: Partial<OperatorServices> = {},
    api: Partial<OperatorConfig['operatorApi']> = {},
  ) => {
    const started = await startHttpServer({
      listener: openOperatorApi(
        {
          tenancy: replica.tenancy,
          commands: createRequestReplyClient({ bus: replica.bus, replies }),
          ledger: createLedgerClient(clients.ledger, deadlines),
          collectorOf: () => clients.collector,
          inventories: createRevisionStoreEraseClient(clients.revisions, deadlines),
          captures: createCaptureStore(replica.db, deadlines, logger),
          webhooks: clients.webhooks,
          watches,
          auditStore: createAuditStore(replica.db, deadlines, testLogger),
          cursors,
          deadlines,
          clock: systemClock,
          identifiers: systemIdentifiers,
          secrets,
          ...services,
        },
        { operators, attemptsPerMinute: 100_000, ...api },
        logger,
      ),
      host: '127.0.0.1',
      port: 0,
    });
    // Idle connections are left to the client, which would otherwise send on one that just ended.
    started.server.keepAliveTimeout = farMs;
    servers.push(started);
    return started.url;
  };
  const url = await apiWith(patientDeadlines);
  const impatientUrl = await apiWith({ ...patientDeadlines, ledgerReplyMs: 300 });
  await waitFor('replies can be received', () => replica.bus.health().ready);
  return {
    ...{ url, token, namespace, tenancy: replica.tenancy, books, collector, revisions },
    ...{ erased, log, webhooks, db: replica.db },
    call: (call) => callOperator(call.isUndecided ? impatientUrl : url, token, call),
    async callWith(services, api) {
      const other = await apiWith(patientDeadlines, services, api);
      return (call) => callOperator(other, token, call);
    },
    async close() {
      await Promise.all(servers.map((server) => server.close(500)));
      await Promise.all(Object.values(clients).map((client) => client.close()));
      replies.stop();
      await replica.close();
      await neighbours.close();
      await Promise.all([books, collector, revisions, webhooks].map((fake) => fake.close()));
    },
  };
}

async function startOtherFakes() {
  const admission = { state: 'open', reason: null, operator_closed: false };
  const counts = { outstanding: 3, outstanding_max: 10_000 };
  const erased: string[] = [];
  const collector = await startHttpFake(async (url, request) => {
    if (request.method === 'DELETE') erased.push(`collector ${url.pathname}`);
    if (request.method === 'PUT') {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { operator_closed: closed } = JSON.parse(Buffer.concat(parts).toString());
      const reason = closed ? 'operator_closed' : null;
      Object.assign(admission, {
        state: closed ? 'closed' : 'open',
        reason,
        operator_closed: closed,
      });
    }
    return jsonResponse({ ...admission, ...counts });
  });
  const revisions = await startHttpFake((url, request) => {
    if (request.method === 'DELETE') erased.push(url.pathname);
    return { status: 204, body: '' };
  });
  return { collector, revisions, erased };
}

async function callOperator(
  url: string,
  token: string,
  call: OperatorCall,
): Promise<OperatorResponse> {
  const { authorization = `Bearer ${token}` } = call;
  const isRaw = typeof call.body === 'string' || Buffer.isBuffer(call.body);
  const response = await fetch(`${url}/operator/v1${call.path}`, {
    method: call.method ?? 'GET',
    redirect: 'manual',
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(call.body === undefined
      ? {}
      : { body: isRaw ? (call.body as string) : JSON.stringify(call.body) }),
  });
  const text = await response.text();
  expectOperatorDocumented({
    method: call.method ?? 'GET',
    path: `/operator/v1${call.path}`,
    status: response.status,
    contentType: response.headers.get('content-type') ?? undefined,
    text,
  });
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}
