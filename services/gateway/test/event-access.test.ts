import { startHttpServer } from '@inventory/http/http-server';
import { createInternalApp } from '@inventory/http/internal-app';
import { secretDigest } from '@inventory/runtime/secret-digest';
import { newProjectId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import {
  listEventProjectsRoute,
  readEventAccessRoute,
} from '../src/tenancy/event-access-routes.ts';
import { openTenancyReplica } from './support/tenancy-replica.ts';

const serviceToken = 'the-token-of-the-event-stream';
const otherToken = 'the-token-of-the-collector';
let replica: Awaited<ReturnType<typeof openTenancyReplica>>;
let server: Awaited<ReturnType<typeof startHttpServer>>;

beforeAll(async () => {
  replica = await openTenancyReplica({ namespace: await openNamespace() });
  const listener = createInternalApp({
    routes: [
      readEventAccessRoute.bind(replica.tenancy),
      listEventProjectsRoute.bind(replica.tenancy),
    ],
    health: { notReady: async () => [], degraded: () => [], notAlive: () => [] },
    callers: [
      { name: 'event-stream', tokenDigest: secretDigest(serviceToken) },
      { name: 'refresh-collector', tokenDigest: secretDigest(otherToken) },
    ],
    logger: testLogger,
  });
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close(500);
  await replica.close();
});

async function ask(projectId: string, token = serviceToken) {
  const response = await fetch(`${server.url}/internal/projects/${projectId}/event-access`, {
    headers: { 'x-service-token': token },
  });
  return { status: response.status, body: (await response.json()) as { events?: boolean } };
}

async function newProject(enabled: boolean) {
  const { tenancy } = replica;
  const account = await tenancy.createAccount({ name: 'Trader' });
  await tenancy.changeAccount(account.accountId, { eventsEnabled: enabled });
  return tenancy.createProject({ accountId: account.accountId, name: null });
}

test('a Project may have its events while it and its account are active and have events (Tenancy)', async () => {
  const { tenancy } = replica;
  const project = await newProject(true);
  const other = await newProject(false);
  const events = async (id: string) => (await ask(id)).body.events;

  const seen = [await events(project.projectId), await events(other.projectId)];
  await tenancy.changeProject(project.projectId, { state: 'suspended' });
  seen.push(await events(project.projectId));
  await tenancy.changeProject(project.projectId, { state: 'active' });
  await tenancy.changeAccount(project.accountId, { state: 'suspended' });
  seen.push(await events(project.projectId));
  await tenancy.changeAccount(project.accountId, { state: 'active' });
  seen.push(await events(project.projectId));

  expect(seen).toEqual([true, false, false, false, true]);
});

test('an event of an account is for all of its Projects, in parts, while it has events (Events: account.balance.low) [account-balance-low]', async () => {
  const { tenancy } = replica;
  const { projectId: first, accountId } = await newProject(true);
  const { projectId: second } = await tenancy.createProject({ accountId, name: null });
  const list = async (query = '') => {
    const path = `/internal/accounts/${accountId}/event-projects${query}`;
    const headers = { 'x-service-token': serviceToken };
    return (await fetch(`${server.url}${path}`, { headers })).json();
  };

  const seen = [await list(), await list(`?after=${first}`)];
  await tenancy.changeAccount(accountId, { eventsEnabled: false });
  seen.push(await list());

  expect(seen).toEqual(
    [[first, second], [second], []].map((project_ids) => ({ project_ids, next_after: null })),
  );
});

test('only services ask, and of Projects that there are', async () => {
  expect((await ask(newProjectId())).status).toBe(404);
  expect((await ask('prj_x')).status).toBe(422);
  expect((await ask(newProjectId(), 'another token')).status).toBe(401);
});

test('of the services the event-stream alone may ask', async () => {
  expect((await ask(newProjectId(), otherToken)).status).toBe(403);
});
