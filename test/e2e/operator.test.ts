import { randomBytes } from 'node:crypto';
import { newRefreshId } from '@inventory/testkit/builders';
import { openNamespace, type TestNamespace } from '@inventory/testkit/namespace';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { loadConfig as loadLedgerConfig } from '../../services/billing-ledger/src/config.ts';
import { startBillingLedger } from '../../services/billing-ledger/src/start-billing-ledger.ts';
import { loadConfig as loadGatewayConfig } from '../../services/gateway/src/config.ts';
import { startGateway } from '../../services/gateway/src/start-gateway.ts';
import { runOperator } from '../../services/gateway/test/support/operator-command.ts';
import { loadConfig as loadCollectorConfig } from '../../services/refresh-collector/src/config.ts';
import { startRefreshCollector } from '../../services/refresh-collector/src/start-refresh-collector.ts';
import { loadConfig as loadStoreConfig } from '../../services/revision-store/src/config.ts';
import { startRevisionStore } from '../../services/revision-store/src/start-revision-store.ts';

const token = randomBytes(24).toString('hex');
const stops: (() => Promise<void>)[] = [];
let operatorUrl = '';
let publicUrl = '';

/** Nothing is scanned and nobody follows events: the address of what is not asked. */
const nowhere = 'http://127.0.0.1:1';

beforeAll(async () => {
  const namespace = await openNamespace();
  const environmentOf = (service: string) => environmentIn(namespace, service);
  const ledger = await startTestService({
    config: loadLedgerConfig(environmentOf('ledger')),
    start: startBillingLedger,
  });
  const revisions = await startTestService({
    config: loadStoreConfig(environmentOf('revisions')),
    start: startRevisionStore,
  });
  const urls = { BILLING_LEDGER_URL: ledger.url, REVISION_STORE_URL: revisions.url };
  const collector = await startTestService({
    config: loadCollectorConfig({
      ...environmentOf('collector'),
      ...urls,
      PLATFORM_BASE_URL: nowhere,
    }),
    start: startRefreshCollector,
  });
  const gateway = await startTestService({
    config: loadGatewayConfig({
      ...environmentOf('gateway'),
      ...urls,
      PUBLIC_HTTP_PORT: '0',
      OPERATOR_TOKEN: token,
      REFRESH_COLLECTOR_URL: collector.url,
      EVENT_STREAM_URL: nowhere,
      CURSOR_KEYS: randomBytes(32).toString('base64url'),
    }),
    start: startGateway,
  });
  stops.push(ledger.stop, revisions.stop, collector.stop, gateway.stop);
  operatorUrl = gateway.url;
  publicUrl = gateway.publicUrl;
  await waitFor('the gateway is ready', async () => (await fetch(`${operatorUrl}/readyz`)).ok);
});

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

function environmentIn(namespace: TestNamespace, service: string) {
  return {
    KAFKA_BROKERS: namespace.kafkaBrokers.join(','),
    KAFKA_TOPIC_PREFIX: namespace.topicPrefix,
    MONGODB_URI: namespace.mongodbUri,
    MONGODB_DATABASE: namespace.database(service),
    HTTP_PORT: '0',
    LOG_LEVEL: 'silent',
  };
}

function operator(...args: string[]) {
  return runOperator({ OPERATOR_URL: operatorUrl, OPERATOR_TOKEN: token }, args);
}

async function newCustomer() {
  const { account_id } = (await operator('account', 'create', '--name', 'Trader', '--json')).json;
  const account = ['--account', account_id];
  const { project_id } = (await operator('project', 'create', ...account, '--json')).json;
  const issue = ['credential', 'issue', '--project', project_id, '--scope', '*', '--json'];
  return { account, project_id, credential: (await operator(...issue)).json };
}

function useKey(secret: string): Promise<Response> {
  const path = `/v2/platform/inventory-refreshes/${newRefreshId()}`;
  return fetch(publicUrl + path, { headers: { 'x-api-key': secret } });
}

/** Accepted and waiting: the platform is not there, so its hold stays for a while. */
async function acceptedRefresh(secret: string): Promise<string> {
  const path = '/v2/platform/users/76561198000000000/inventory/730/2/refresh';
  const answer = await fetch(publicUrl + path, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ max_credits: 125 }),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { data: { refresh_id: string } }).data.refresh_id;
}

test('a key opens the public door when it is issued and no longer than it is meant to', async () => {
  const { account, credential } = await newCustomer();
  expect((await useKey(credential.secret)).status).toBe(404);

  await operator('account', 'suspend', ...account);
  await waitFor(
    'a suspension closes the door within 2 s',
    async () => (await useKey(credential.secret)).status === 401,
  );
  await operator('account', 'reactivate', ...account);
  await waitFor('and is taken back', async () => (await useKey(credential.secret)).status === 404);

  await operator('credential', 'revoke', '--credential', credential.credential_id);
  await waitFor(
    'a revocation closes the door within 2 s',
    async () => (await useKey(credential.secret)).status === 401,
  );
});

test('the operator API is not on the public port', async () => {
  const answer = await fetch(`${publicUrl}/operator/v1/accounts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(404);
});

test('credits are booked once per key on the real ledger, held, listed and verified', async () => {
  const { account, project_id, credential } = await newCustomer();
  const topUp = ['top-up', ...account, '--key', 'invoice 7', '--json', '--amount'];
  const [first, again] = [await operator(...topUp, '500'), await operator(...topUp, '500')];
  const conflict = await operator(...topUp, '501');
  const refund = await operator('adjust', ...account, '--amount', '-20', '--reason', 'refund');
  const tooMuch = await operator('adjust', ...account, '--amount', '-481', '--reason', 'refund');

  expect(first.json.balance).toEqual({ total: 500, held: 0, available: 500 });
  expect(again.out).toBe(first.out);
  expect(conflict).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(conflict.err).error.code).toBe('idempotency_conflict');
  expect(refund.code).toBe(0);
  expect(tooMuch.code).toBe(1);
  expect(tooMuch.err).toMatch(
    /^insufficient_credits: .*\n {2}required: 481\n {2}available: 480\n$/,
  );

  const refresh_id = await acceptedRefresh(credential.secret);
  const { items } = (await operator('holds', ...account, '--json')).json;
  const balance = await operator('balance', ...account, '--json');
  const csv = await operator('statement', ...account, '--csv', '--all');

  expect(items).toMatchObject([{ refresh_id, project_id, amount: 125 }]);
  expect(balance.json.balances).toEqual([
    { asset: 'credits', total: 480, held: 125, available: 355 },
  ]);
  const kinds = csv.out.split('\r\n').map((line) => line.split(',')[2]);
  expect(kinds).toEqual(expect.arrayContaining(['kind', 'grant', 'adjust', 'reserve']));
  const verified = await operator('verify', '--json');
  expect(verified).toMatchObject({ code: 0, json: { ok: true, problems: [] } });
});

test('admission is closed and opened on the real collector, an inventory erased', async () => {
  const closed = await operator('admission', 'close', '--json');
  const opened = await operator('admission', 'open', '--json');
  const scope = ['--platform-id', '76561198000000000', '--app-id', '730', '--context-id', '2'];
  const erased = await operator('erase', ...scope, '--json');

  expect(closed.json).toMatchObject({ state: 'closed', reason: 'operator_closed' });
  expect(opened.json).toMatchObject({ state: 'open', reason: null, operator_closed: false });
  expect(erased.json.erased).toBe(true);
});
