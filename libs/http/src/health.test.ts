import { provideTelemetry } from '@inventory/runtime/telemetry-access';
import { serveHealth } from './health.ts';
import { startHttpServer } from './http-server.ts';

type Problems = Partial<Record<'notReady' | 'degraded' | 'notAlive', string[]>>;

async function request(path: string, problems: Problems = {}) {
  const checks = {
    notReady: async () => problems.notReady ?? [],
    degraded: () => problems.degraded ?? [],
    notAlive: () => problems.notAlive ?? [],
  };
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    listener: async (request, response) => {
      if (!(await serveHealth(checks, request, response)))
        response.writeHead(404).end('not served');
    },
  });
  const response = await fetch(server.url + path);
  const seen = {
    status: response.status,
    cache: response.headers.get('cache-control'),
    text: await response.text(),
  };
  await server.close(0);
  return seen;
}

test.each(['/livez', '/readyz', '/readyz?verbose'])(
  '%s responds with ok while no check fails',
  async (path) => {
    expect(await request(path)).toEqual({
      status: 200,
      cache: 'no-store',
      text: '{"status":"ok","problems":[]}',
    });
  },
);

test('the problems of a service that is not ready are listed, and it stays alive', async () => {
  const problems = { notReady: ['MongoDB is unavailable', 'a consumer is not working'] };

  expect(await request('/readyz', problems)).toMatchObject({
    status: 503,
    text: '{"status":"failing","problems":["MongoDB is unavailable","a consumer is not working"]}',
  });
  expect((await request('/livez', problems)).status).toBe(200);
});

test('a service that serves a share of its requests is ready, and its problems are listed', async () => {
  const degraded = ['a consumer is not working'];

  expect(await request('/readyz', { degraded })).toMatchObject({
    status: 200,
    text: '{"status":"degraded","problems":["a consumer is not working"]}',
  });
  expect(
    await request('/readyz', { degraded, notReady: ['MongoDB is unavailable'] }),
  ).toMatchObject({
    status: 503,
    text: '{"status":"failing","problems":["MongoDB is unavailable","a consumer is not working"]}',
  });
});

test('the problems of a process that must be restarted are listed', async () => {
  expect(await request('/livez', { notAlive: ['the message bus is dead'] })).toMatchObject({
    status: 503,
    text: '{"status":"failing","problems":["the message bus is dead"]}',
  });
});

test('any other path is passed to the service', async () => {
  expect(await request('/livezz')).toMatchObject({ status: 404, text: 'not served' });
});

test('metrics are those of the loaded telemetry, and its absence is an error', async () => {
  expect(await request('/metrics')).toMatchObject({
    status: 503,
    text: expect.stringContaining('telemetry is not loaded'),
  });

  provideTelemetry({
    serveMetrics: (_request, response) => void response.end('inventory_up 1\n'),
    flush: async () => {},
  });

  expect(await request('/metrics')).toMatchObject({ status: 200, text: 'inventory_up 1\n' });
});
