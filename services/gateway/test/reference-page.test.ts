import { assetsPath, readConsoleFiles } from '@inventory/console/console-files';
import { type ServiceStatus, serviceStatus } from '@inventory/contracts/http/status';
import { createTestClock } from '@inventory/testkit/test-clock';
import { llmsPage } from '../src/http/reference/llms-page.ts';
import { publicRoutes } from '../src/public-routes.ts';
import { cacheStatus } from '../src/status/read-status-route.ts';
import { world } from './support/file-world.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

let gateway: TestGateway;
let tryable: TestGateway;

beforeAll(async () => {
  [gateway, tryable] = await Promise.all([
    startTestGateway(world),
    startTestGateway(world, { canTryReference: true }),
  ]);
});

test('the reference names the quick start on one page (Console) [console]', async () => {
  expect((await gateway.call({ path: '/docs' })).text).toMatch(
    /Quick start: .*href="\/llms\.txt"/s,
  );
});

test('document and reference need no key, and consume nothing', async () => {
  const { key, principal } = world.issue({ requestsPerMinute: 1 });

  for (const path of ['/openapi.json', '/llms.txt', '/docs', '/docs/reference.js']) {
    const answer = await gateway.call({ path, key });
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.text).not.toContain(principal.accountId);
  }
  expect((await gateway.call({ path: '/v2/prices', key })).status).toBe(200);
});

test('the reference can be turned off, and the document stays', async () => {
  const off = await startTestGateway(world, { servesReference: false });

  for (const path of ['/docs', '/docs/', '/docs/swagger-ui-bundle.js']) {
    const { status, json } = await off.call({ path });
    expect([status, json.error.code]).toEqual([404, 'route_not_found']);
  }
  expect((await off.call({ path: '/openapi.json' })).status).toBe(200);
});

describe('/llms.txt', () => {
  const read = async (at = gateway) => at.call({ path: '/llms.txt' });

  test('is text of at most 60 lines, cached as the document is, which links it as the documentation of errors', async () => {
    const { headers, text } = await read();
    const document = await gateway.call({ path: '/openapi.json' });
    const fresh = await gateway.call({
      path: '/llms.txt',
      headers: { 'if-none-match': String(headers['etag']) },
    });

    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['cache-control']).toBe(document.headers['cache-control']);
    expect([fresh.status, fresh.text]).toEqual([304, '']);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    const { info, externalDocs } = JSON.parse(document.text);
    expect([externalDocs.url, info.description]).toEqual([
      '/llms.txt',
      expect.stringContaining('`error.code`, and `/llms.txt` has'),
    ]);
  });

  test('has routes of the document alone, each with its price, and where the rest is', async () => {
    const { text } = await read();
    const { paths } = JSON.parse((await gateway.call({ path: '/openapi.json' })).text);
    const routes = [...text.matchAll(/^- (GET|POST|PUT|DELETE) (\S+): (.+)$/gm)];

    expect(routes.length).toBeGreaterThan(15);
    for (const [line, method = '', path = '', rest = ''] of routes) {
      expect([line, paths[path]?.[method.toLowerCase()]]).toEqual([line, expect.any(Object)]);
      expect(rest).toMatch(/ (Free|Reserves 125 for each .*; costs 1 .*|1 (for each|a) page.*)\.$/);
    }
    for (const part of [
      'X-API-Key',
      '"request_id"',
      '(/openapi.json)',
      '(/docs)',
      'inventory mcp',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('names no reference where that is turned off, and the origin of events where they have one (Stream origin)', () => {
    const options = { endpoints: publicRoutes, eventsOrigin: 'https://events.example' };
    const text = String(llmsPage({ ...options, hasReference: false })['/llms.txt']?.body);

    expect(text).not.toContain('/docs');
    expect(text.match(/https:\/\/events\.example\S+/g)).toEqual([
      'https://events.example/v2/projects/{project_id}/events/stream:',
    ]);
  });
});

test('a browser that asks for any type, for the headers alone or with a slash gets the page', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const responses = [
    await gateway.call({ path: '/docs', headers: { accept } }),
    await gateway.call({ path: '/docs/', headers: { accept } }),
    await gateway.call({ method: 'HEAD', path: '/docs', headers: { accept } }),
  ];

  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(responses.map(({ headers }) => headers['content-type'])).toEqual(
    Array(3).fill('text/html; charset=utf-8'),
  );
});

test('every documented operation is there, and asks for a key but for the status', async () => {
  const response = await gateway.call({ path: '/openapi.json' });
  const { paths } = JSON.parse(response.text) as { paths: Record<string, object> };
  const asked = Object.entries(paths).flatMap(([template, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path: template })),
  );

  expect(asked.length).toBeGreaterThan(10);
  for (const { method, path } of asked) {
    // The template itself is a path: every `{name}` stands for some value.
    const accept = path.endsWith('/stream') ? 'text/event-stream' : '*/*';
    const { status } = await gateway.call({ method, path, headers: { accept } });
    expect([method, path, status]).toEqual([method, path, path === '/v2/status' ? 200 : 401]);
  }
});

test.each(['/docs', '/status', '/console'])(
  '%s runs and loads nothing but its own, and cannot be framed',
  async (path) => {
    const { headers } = await gateway.call({ path });
    const policy = String(headers['content-security-policy']);

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  },
);

describe('the console [console]', () => {
  const assetOf = (html: string, ending: string) =>
    html.match(new RegExp(`"(/console/assets/[\\w.-]+\\.${ending})"`))?.[1] ?? 'none';

  test('is a page that is checked with each load, and files that are kept by their names', async () => {
    const page = await gateway.call({ path: '/console' });
    const script = await gateway.call({ path: assetOf(page.text, 'js') });
    const style = await gateway.call({ path: assetOf(page.text, 'css') });

    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-cache']);
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    for (const { status, headers } of [script, style]) {
      expect([status, headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  test('is smaller than 120 KB as it is sent, with every file that it loads', async () => {
    const assets = [...readConsoleFiles().assets.keys()].map((name) => `${assetsPath}/${name}`);
    const paths = ['/console', ...assets];
    const accepted = { 'accept-encoding': 'gzip' };
    const sent = await Promise.all(paths.map((path) => gateway.call({ path, headers: accepted })));

    expect(sent.map(({ headers }) => headers['content-encoding'])).toEqual(paths.map(() => 'gzip'));
    expect(sent.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(120_000);
  });

  test('may load pictures from the host of the setting alone, and says whether it can read the stream', async () => {
    const picturesUrl = 'https://pictures.example/image/';
    const eventsOrigin = 'https://events.example';
    const other = await startTestGateway(world, { console: { picturesUrl }, eventsOrigin });
    const [plain, pictured] = await Promise.all(
      [gateway, other].map((at) => at.call({ path: '/console' })),
    );
    const policy = (response: typeof plain) => response?.headers['content-security-policy'];

    expect(policy(plain)).toContain("img-src 'self' data:;");
    expect(policy(pictured)).toContain("img-src 'self' data: https://pictures.example;");
    expect(plain?.text).toContain('&quot;pictures_url&quot;:null,&quot;has_stream&quot;:true');
    expect(pictured?.text).toContain(`&quot;${picturesUrl}&quot;,&quot;has_stream&quot;:false`);
  });

  test('can be turned off', async () => {
    const off = await startTestGateway(world, { console: { isServed: false } });
    const { text } = await gateway.call({ path: '/console' });

    expect((await gateway.call({ path: '/docs' })).text).toContain('href="/console"');
    expect((await off.call({ path: '/docs' })).text).not.toContain('/console');
    for (const path of ['/console', '/console/', assetOf(text, 'js')]) {
      const { status, json } = await off.call({ path });
      expect([path, status, json.error.code]).toEqual([path, 404, 'route_not_found']);
    }
  });
});

test('calls are tried from the page only where the operator allows it', async () => {
  const script = async (at: TestGateway) => (await at.call({ path: '/docs/reference.js' })).text;

  expect(await script(gateway)).toContain('"supportedSubmitMethods": []');
  expect(await script(gateway)).toContain('authorizeBtn');
  expect(await script(tryable)).not.toContain('"supportedSubmitMethods": []');
  for (const at of [gateway, tryable]) {
    expect(await script(at)).toContain('"persistAuthorization": false');
    expect(await script(at)).toContain('"queryConfigEnabled": false');
  }
});

test.each(['POST', 'PUT', 'DELETE'])('%s of them is no method', async (method) => {
  const response = await gateway.call({ method, path: '/docs' });

  expect([response.status, response.headers.allow]).toEqual([405, 'GET, HEAD']);
});

test.each(['/docs//', '/docs/../config.ts', '/docs/swagger-ui.js', '/openapi.yaml'])(
  '%s is nothing',
  async (path) => {
    expect((await gateway.call({ path })).status).toBe(404);
  },
);

describe('the status [status-page]', () => {
  const read = (at = gateway, method = 'GET') => at.call({ method, path: '/v2/status' });

  test('needs no key, names no customer, and may be cached for five seconds (Status)', async () => {
    const { status, headers, json } = await read();

    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=5']);
    expect(headers['ratelimit']).toBeUndefined();
    expect(serviceStatus.in.strict().parse(json.data).admission).toEqual({
      state: 'open',
      reason: null,
    });
    expect((await read(gateway, 'HEAD')).status).toBe(405);
  });

  test('has a small bucket of its own for each peer, which no key is in', async () => {
    const small = await startTestGateway(world, { openRequestsPerMinute: 2 });
    const { key } = world.issue();

    const responses = [await read(small), await read(small), await read(small)];

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(responses[2]?.json.error.detail).toEqual({ limit: 'peer', limit_per_minute: 2 });
    expect((await small.call({ path: '/v2/prices', key })).status).toBe(200);
    expect((await small.call({ path: '/status' })).status).toBe(200);
  });

  test('without its source is 503, and comes back by itself; the page is there all the while', async () => {
    world.collector.http.isDown = true;
    const away = await read();
    const page = await gateway.call({ path: '/status' });
    world.collector.http.isDown = false;

    expect([away.status, away.json.error.code]).toEqual([503, 'service_unavailable']);
    expect([away.headers['cache-control'], page.status]).toEqual(['no-store', 200]);
    expect((await read()).status).toBe(200);
  });

  test('is read once for all who ask within five seconds', async () => {
    const clock = createTestClock(0);
    let reads = 0;
    const cached = cacheStatus(
      async () => {
        reads += 1;
        return {} as ServiceStatus;
      },
      { clock, deadlines: { statusAgeMs: 5_000 } },
    );

    await Promise.all([cached(), cached()]);
    clock.advance(4_999);
    await cached();
    expect(reads).toBe(1);
    clock.advance(1);
    await cached();
    expect(reads).toBe(2);
  });
});
