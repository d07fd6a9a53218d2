import { randomUUID } from 'node:crypto';
import { everySecondsMin } from '@inventory/contracts/http/watches';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { untilCompleted } from './follow-refresh.ts';
import { readLiveChain } from './live-chain.ts';
import type { Customer, Operator } from './operator.ts';
import { inventoryPath, type PublicApi } from './public-api.ts';
import { walkV1 } from './read-live.ts';
import { scenarioScope, sizeScope } from './simulator-control.ts';
import { type StreamFollower, startFollower } from './stream-follower.ts';
import type { TestStack } from './test-stack.ts';

/** Customers who use everything there is, and make the mistakes that customers make. */
export interface EverydayTraffic {
  /** Some of everything. */
  round(): Promise<void>;
  stop(): Promise<void>;
}

const scopes = ['*', 'customer.events.read.v1', 'customer.webhooks.manage.v1'];

export async function startEverydayTraffic(
  stack: TestStack,
  webhookUrl: string,
): Promise<EverydayTraffic> {
  const { operator } = stack;
  const customer = await operator.newCustomer();
  const { accountId, projectId } = customer;
  await operator.switchEvents(accountId, true);
  const { api, secret } = await operator.newCredential(projectId, { scopes });
  const poor = await operator.newCustomer({ credits: 10 });
  for (const path of ['/kept', '/gone']) await addEndpoint(api, customer, webhookUrl + path);
  await startWatches(api, customer);
  const follower: StreamFollower = startFollower({
    url: stack.gatewayUrl,
    projectId,
    apiKey: secret,
  });
  let serial = 0;
  return {
    async round() {
      serial += 1;
      await refuseWhileClosed(operator, api, serial);
      await Promise.all([
        refreshAndRead(api, customer, serial),
        readLivePages(api, serial),
        makeMistakes(api, poor.api, serial),
        walkV1(api, 'original', sizeScope(10, serial)),
        operator.verify(),
      ]);
    },
    stop: () => follower.stop(),
  };
}

async function addEndpoint(api: PublicApi, { projectId }: Customer, url: string): Promise<void> {
  const path = `/v2/projects/${projectId}/webhook-endpoints`;
  const body = { url, types: ['inventory.refresh.completed'] };
  expectStatus(await api.call({ method: 'POST', path, body }), 201);
}

/** Their first turns lie anywhere in the shortest period: one in every five seconds. */
const watches = 60;

async function startWatches(api: PublicApi, { projectId }: Customer): Promise<void> {
  const path = `/v2/projects/${projectId}/watches/batch`;
  const items = Array.from({ length: watches }, (_none, serial) => ({
    ...sizeScope(1, 20_000 + serial),
    every_seconds: everySecondsMin,
  }));
  expectStatus(await api.call({ method: 'POST', path, body: { items } }), 200);
}

async function refreshAndRead(api: PublicApi, { projectId }: Customer, serial: number) {
  const scope = sizeScope(2_500, serial);
  const wanted = [scope, scenarioScope('private', serial)];
  const ids = await Promise.all(wanted.map((one) => api.accepted(one)));
  await untilCompleted(api, projectId, ids);
  expectStatus(await api.current(scope), 200);
  expectStatus(await api.refresh(scope, { key: randomUUID() }), 202);
  const path = `${inventoryPath(scope)}/refresh`;
  const body = { max_credits: 125, max_age_seconds: 3_600 };
  // What was saved answers it.
  expectStatus(await api.call({ method: 'POST', path, body }), 200);
}

/** Two pages, so that the chain is captured. */
async function readLivePages(api: PublicApi, serial: number): Promise<void> {
  await readLiveChain([api], sizeScope(2_500, 1_000 + serial));
}

/** An operator closes admission for a moment while a customer requests a refresh. */
async function refuseWhileClosed(operator: Operator, api: PublicApi, serial: number) {
  await operator.call('switchAdmission', { operator_closed: true });
  try {
    await waitFor(
      'admission is closed',
      async () => (await api.refresh(sizeScope(10, 9_000 + serial))).status === 503,
    );
  } finally {
    await operator.call('switchAdmission', { operator_closed: false });
  }
}

async function makeMistakes(api: PublicApi, poor: PublicApi, serial: number): Promise<void> {
  expectStatus(await poor.refresh(sizeScope(10, serial)), 402);
  expectStatus(await api.current(sizeScope(10, 5_000 + serial)), 404);
  expectStatus(await api.call({ path: `${inventoryPath(sizeScope(10, 1))}?cursor=none` }), 422);
  expectStatus(await api.call({ path: '/v2/nothing-of-the-kind' }), 404);
}

function expectStatus(response: ApiResponse, status: number): void {
  if (response.status !== status)
    throw new Error(`not ${status}: ${response.status} ${response.text}`);
}
