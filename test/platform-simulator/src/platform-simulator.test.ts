import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { waitFor } from '@inventory/testkit/wait-for';
import { type PlatformSimulator, startPlatformSimulator } from './platform-simulator.ts';
import { type SimulatedInventory, scenarioInventory, sizeInventory } from './scenarios.ts';

type Reply = { status: number; headers: IncomingMessage['headers']; body: string };

let nowMs = 0;
let platform: PlatformSimulator;

beforeEach(async () => {
  nowMs = 0;
  platform = await startPlatformSimulator({ now: () => nowMs });
});

afterEach(async () => {
  await platform.close();
});

function send(options: RequestOptions, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      options.createConnection ? options : { agent: false, ...options },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function direct(path: string, options: RequestOptions = {}, body?: string): Promise<Reply> {
  const { hostname, port } = new URL(platform.url);
  return send({ hostname, port, path, ...options }, body);
}

function pathOf(inventory: SimulatedInventory, count = 10): string {
  return `/inventory/${inventory.platformId}/${inventory.appId}/${inventory.contextId}?l=english&count=${count}`;
}

const credentials = (proxyUrl: string) => {
  const { username, password } = new URL(proxyUrl);
  return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${password}`).toString('base64')}`;
};

/** A request in absolute form, as plain HTTP clients send it to a proxy. */
function absolute(identity: string, path: string, signal?: AbortSignal): Promise<Reply> {
  return direct(`http://platform.example${path}`, {
    headers: { 'proxy-authorization': credentials(platform.proxyUrl(identity)) },
    ...(signal ? { signal } : {}),
  });
}

async function counters() {
  return JSON.parse((await direct('/control/counters')).body);
}

/** A socket tunnelled by CONNECT. */
function tunnel(identity: string | undefined): Promise<{ status: number; socket: Socket }> {
  const { hostname, port } = new URL(platform.url);
  const headers = identity
    ? { 'proxy-authorization': credentials(platform.proxyUrl(identity)) }
    : {};
  return new Promise((resolve, reject) => {
    const asked = request({
      hostname,
      port,
      method: 'CONNECT',
      path: 'platform.example:80',
      headers,
    });
    asked.on('connect', (response, socket) =>
      resolve({ status: response.statusCode ?? 0, socket }),
    );
    asked.on('error', reject);
    asked.end();
  });
}

async function tunnelled(identity: string, path: string): Promise<Reply> {
  const { socket } = await tunnel(identity);
  const reply = await send({ createConnection: () => socket, path, host: 'platform.example' });
  socket.destroy();
  return reply;
}

async function identities(): Promise<Record<string, { requests: number; throttled: number }>> {
  return JSON.parse((await direct('/control/counters')).body).identities;
}

describe('egress identities', () => {
  const path = pathOf(sizeInventory(5));

  it("are the peer's address without a proxy", async () => {
    await direct(path);
    await direct(path, { localAddress: '127.0.0.2' });
    await direct(path, { localAddress: '127.0.0.3' });

    expect(Object.keys(await identities()).sort()).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  });

  it('are the user name at the proxy, through tunnels and in absolute form', async () => {
    expect((await tunnelled('north', path)).status).toBe(200);
    expect((await absolute('south', path)).status).toBe(200);
    expect((await absolute('north', path)).status).toBe(200);

    expect(await identities()).toMatchObject({ north: { requests: 2 }, south: { requests: 1 } });
  });

  it('are limited one by one, whichever way they come', async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 7; sent += 1) {
      statuses.push((await (sent % 2 === 0 ? absolute : tunnelled)('east', path)).status);
    }

    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect((await absolute('west', path)).status).toBe(200);
    expect((await direct(path)).status).toBe(200);
    expect(await identities()).toMatchObject({ east: { requests: 7, throttled: 1 } });
  });

  it('serve several requests over one tunnel', async () => {
    const { socket } = await tunnel('reused');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agent.createConnection = () => socket;
    const options = { agent, path, host: 'platform.example' };

    const statuses = [(await send(options)).status, (await send(options)).status];

    agent.destroy();
    expect(statuses).toEqual([200, 200]);
    expect(await identities()).toMatchObject({ reused: { requests: 2 } });
  });

  it('take bytes that come together with the CONNECT', async () => {
    const { hostname, port } = new URL(platform.url);
    const socket = connect(Number(port), hostname);
    const head = `CONNECT platform.example:80 HTTP/1.1\r\nHost: platform.example\r\nProxy-Authorization: ${credentials(platform.proxyUrl('eager'))}\r\n\r\n`;
    socket.write(
      `${head}GET ${path} HTTP/1.1\r\nHost: platform.example\r\nConnection: close\r\n\r\n`,
    );

    let received = '';
    for await (const chunk of socket) {
      received += String(chunk);
    }

    expect(received).toContain('HTTP/1.1 200 Connection Established');
    expect(received).toContain('"total_inventory_count":5');
    expect(await identities()).toMatchObject({ eager: { requests: 1 } });
  });

  it('must be named at the proxy', async () => {
    const { status, socket } = await tunnel(undefined);
    socket.destroy();
    const plain = await direct(`http://platform.example${path}`);

    expect([status, plain.status]).toEqual([407, 407]);
    expect(plain.headers['proxy-authenticate']).toBe('Basic realm="egress identity"');
  });

  it('do not keep the platform from closing while their tunnels are open', async () => {
    const { socket } = await tunnel('idle');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();

    await platform.close();

    await closed;
    platform = await startPlatformSimulator();
  });

  it.each(['', 'two words', 'a:b', 'ü', 'x'.repeat(129)])('cannot be %p', (identity) => {
    expect(() => platform.proxyUrl(identity)).toThrow(RangeError);
  });

  it('can be poor at the proxy as well', async () => {
    const body = JSON.stringify({ mode: 'bad_request' });
    await direct('/control/identities/hosted', { method: 'PUT' }, body);

    const reply = await absolute('hosted', path);

    expect([reply.status, reply.body]).toEqual([400, 'null']);
  });
});

describe('answers on the wire', () => {
  it('carry the JSON content type and exact bytes, null included', async () => {
    const reply = await direct(pathOf(scenarioInventory('private')));

    expect(reply.status).toBe(403);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '4',
    });
    expect(reply.body).toBe('null');
    expect(reply.headers).not.toHaveProperty('retry-after');
  });

  it('break off within the body when the connection is cut', async () => {
    await expect(direct(pathOf(scenarioInventory('cut-connection-once'), 200))).rejects.toThrow();
    expect((await direct(pathOf(scenarioInventory('cut-connection-once'), 200))).status).toBe(200);
  });

  it('count what was in flight at once, for each identity and account', async () => {
    await direct('/control/latency', { method: 'PATCH' }, '{"fixed_ms":600000}');
    const path = pathOf(sizeInventory(5));
    const leaving = new AbortController();
    const asked = ['busy', 'busy', 'calm'].map((one) => absolute(one, path, leaving.signal));
    const left = Promise.allSettled(asked);
    const inFlight = async (count: number) => (await counters()).total.in_flight === count;

    await waitFor('all have come', () => inFlight(3));
    leaving.abort();
    await left;
    await waitFor('all have gone', () => inFlight(0));

    const { identities, accounts, total } = await counters();
    expect(identities.busy).toMatchObject({ in_flight: 0, in_flight_max: 2 });
    expect(identities.calm).toMatchObject({ in_flight_max: 1, by_status: { 200: 1 } });
    expect(accounts[sizeInventory(5).platformId].in_flight_max).toBe(3);
    expect(total).toMatchObject({ requests: 3, throttled: 0 });
  });

  it('let a slow request go when its client leaves', async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const asked = expect(direct(pathOf(scenarioInventory('slow')), { signal })).rejects.toThrow();
    await waitFor('it has come', async () => (await counters()).total.in_flight === 1);
    leaving.abort();

    await asked;
    await platform.close();
    platform = await startPlatformSimulator();
  });

  it('list every scenario by name', async () => {
    const listing = JSON.parse((await direct('/scenarios')).body);

    expect(listing['size-250001']).toEqual({
      platform_id: '76100700000000000',
      app_id: 730,
      context_id: 2,
      shows: expect.any(String),
    });
  });

  it('refuse what the platform does not have', async () => {
    const path = pathOf(sizeInventory(5));

    expect((await direct('/nothing')).status).toBe(404);
    expect((await direct(path, { method: 'POST' })).status).toBe(405);
    expect((await direct('/control/faults', { method: 'POST' }, 'x'.repeat(70_000))).status).toBe(
      413,
    );
    expect((await direct('/livez')).body).toBe('{"status":"ok"}');
  });

  it('come back after a minute of silence by the clock it was given', async () => {
    const path = pathOf(sizeInventory(5));
    for (let sent = 0; sent < 7; sent += 1) {
      await absolute('patient', path);
    }
    nowMs = 59_999;
    expect((await absolute('patient', path)).status).toBe(429);
    nowMs = 119_998;
    expect((await absolute('patient', path)).status).toBe(429);
    nowMs = 179_998;
    expect((await absolute('patient', path)).status).toBe(200);
  });
});
