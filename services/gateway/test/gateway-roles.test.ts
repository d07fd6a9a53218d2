import { newProjectId } from '@inventory/testkit/builders';
import { callApi } from './support/api-call.ts';
import { world } from './support/file-world.ts';
import { openEventStream } from './support/open-stream.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

const eventsOrigin = 'https://events.example';
let api: TestGateway;
let events: TestGateway;

beforeAll(async () => {
  api = await startTestGateway(world, { role: 'api', eventsOrigin });
  events = await startTestGateway(world, { role: 'events', eventsOrigin });
});

function newReader() {
  const permissions = ['customer.events.read.v1'] as const;
  const projectId = newProjectId();
  return { projectId, ...world.issue({ projectId, eventsEnabled: true, permissions }) };
}

test('the event stream is on its own origin, all other operations and the document on the other one (Stream origin)', async () => {
  const { projectId, key } = newReader();
  const list = { path: `/v2/projects/${projectId}/events`, key };

  const stream = await openEventStream(events.url, { projectId, key });
  const statuses = await Promise.all([
    openEventStream(api.url, { projectId, key }).then(({ status }) => status),
    ...[api, events].map(async ({ url }) => (await callApi(url, list)).status),
    ...[api, events].map(async ({ url }) => (await callApi(url, { path: '/docs' })).status),
  ]);

  expect(await stream.received('\n\n')).toMatch(/^event: checkpoint\n/);
  expect(statuses).toEqual([404, 200, 404, 200, 404]);
  stream.cut();
});

test('the document of the API states the origin of the event stream (Stream origin)', async () => {
  const { text } = await callApi(api.url, { path: '/openapi.json' });

  const { paths } = JSON.parse(text);
  expect(paths['/v2/projects/{project_id}/events/stream'].get.servers).toEqual([
    { url: eventsOrigin },
  ]);
});
