import { createHash } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { exportEnd, exportEndTrailer } from '@inventory/contracts/http/export';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { contentCodings } from '@inventory/contracts/vocabulary';
import { systemClock } from '@inventory/runtime/clock';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { unpackers } from '@inventory/testkit/unpackers';
import { waitFor } from '@inventory/testkit/wait-for';
import { lineOf, membersText, saveInventory } from './support/fake-revision-store.ts';
import { world } from './support/file-world.ts';
import { currentPathOf } from './support/paths.ts';
import { sendRaw } from './support/raw-call.ts';
import { noKeyIsOpen } from './support/settled-keys.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

let gateway: TestGateway;
let hasty: TestGateway;
/** Sends one export at a time. */
let single: TestGateway;
const clock = createTestClock(systemClock.now());

beforeAll(async () => {
  [gateway, hasty, single] = await Promise.all([
    startTestGateway(world),
    startTestGateway(world, { exports: { timeMaxMs: 500, limits: { perKeyMax: 1, totalMax: 1 } } }),
    startTestGateway(world, { clock, exports: { limits: { perKeyMax: 1, totalMax: 1 } } }),
  ]);
});

const ids = ['1', '18446744073709551615', '3', '4'];
const pages = ids.map(membersText);
const lines = pages.map((text) => lineOf(text));

/** An account that can export one saved inventory. */
function newReader(saved: Parameters<typeof saveInventory>[2] = { pages }) {
  const { key, principal } = world.issue();
  const scope = newScope();
  const { meta } = saveInventory(world.revisions, scope, saved);
  const { accountId } = principal;
  world.ledger.setBalance(accountId, 10);
  return { key, scope, meta, balance: () => world.ledger.balanceOf(accountId) };
}
type Reader = ReturnType<typeof newReader>;

const pathOf = (scope: InventoryKey, query = '') => `${currentPathOf(scope)}/export${query}`;

interface Wanted {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: TestGateway;
  /** Called with the response, whose bytes are read unless it pauses it. */
  readonly onResponse?: (response: IncomingMessage) => void | Promise<void>;
}

/** A download as far as it comes. */
function download({ key, scope }: Reader, wanted: Wanted = {}) {
  const { query, headers, at = gateway, onResponse } = wanted;
  const sent: ClientRequest = request(new URL(pathOf(scope, query), at.url), {
    agent: false,
    headers: { 'x-api-key': key, ...headers },
  });
  return new Promise<{
    readonly status: number;
    readonly headers: IncomingMessage['headers'];
    readonly trailers: NodeJS.Dict<string>;
    readonly bytes: Buffer;
    readonly isWhole: boolean;
  }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
      response.on('close', () => {
        const { statusCode: status = 0, headers: received, trailers, complete } = response;
        const bytes = Buffer.concat(chunks);
        resolve({ status, headers: received, trailers, bytes, isWhole: complete });
      });
      void onResponse?.(response);
    });
    sent.end();
  });
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

function endLine(rows: readonly string[], { meta }: Reader): string {
  const end = { revision_id: meta.revisionId, rows: rows.length, sha256: sha256(rows.join('')) };
  return `${JSON.stringify({ end })}\n`;
}

test('all assets of one revision come as lines, with count and digest of them at the end (Export) [export]', async () => {
  const reader = newReader();

  const { status, headers, bytes } = await download(reader);

  expect([status, bytes.toString()]).toEqual([200, lines.join('') + endLine(lines, reader)]);
  expect(headers).toMatchObject({
    'content-type': 'application/x-ndjson; charset=utf-8',
    'x-revision-id': reader.meta.revisionId,
    'x-observation-id': reader.meta.observationId,
    'x-export-rows': '4',
    'x-description-language': 'english',
    'x-credits-charged': '1',
    'x-credits-remaining': '9',
    'cache-control': 'no-store',
  });
  const pinned = world.revisions.asked.slice(-3).map((url) => url.searchParams);
  expect(pinned.map((query) => query.get('observation_id'))).toEqual(
    Array(3).fill(reader.meta.observationId),
  );
});

test.each(contentCodings)(
  'packed in %s it is the same, digest included [compression]',
  async (coding) => {
    const reader = newReader();

    const { headers, bytes } = await download(reader, { headers: { 'accept-encoding': coding } });

    expect([headers['content-encoding'], headers.vary]).toEqual([
      coding,
      'Accept, Accept-Encoding',
    ]);
    expect(unpackers[coding](bytes).toString()).toBe(lines.join('') + endLine(lines, reader));
  },
);

test('as CSV the end is a trailer, and what is resumed can be appended (Export) [export]', async () => {
  const reader = newReader();
  const headers = { accept: 'text/csv' };

  const whole = await download(reader, { headers });
  const rest = await download(reader, { headers, query: '?from_row=3' });

  const rows = pages.map((text) => lineOf(text, 'csv'));
  const [header = ''] = whole.bytes.toString().split(rows[0] ?? '');
  expect(header).toMatch(/^assetid,.*,market_hash_name,.*\r\n$/);
  expect(whole.bytes.toString()).toBe(header + rows.join(''));
  expect(whole.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  const endOf = ({ trailers }: typeof whole) =>
    asSent(exportEnd, JSON.parse(trailers[exportEndTrailer.toLowerCase()] ?? ''));
  expect(endOf(whole)).toMatchObject({ rows: 4, sha256: sha256(header + rows.join('')) });
  expect(rest.bytes.toString()).toBe(rows[3]);
  expect(endOf(rest)).toMatchObject({ rows: 1, sha256: sha256(rows[3] ?? '') });
});

test.each([
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
] as const)(
  'over HTTP/1.0 %s is served whole, without a trailer, and its charge stands (Export) [export]',
  async (accept, format) => {
    const reader = newReader();
    const head = `GET ${pathOf(reader.scope)} HTTP/1.0\r\nx-api-key: ${reader.key}`;

    const response = await sendRaw(gateway.url, `${head}\r\naccept: ${accept}\r\n\r\n`);

    const rows = pages.map((text) => lineOf(text, format));
    const whole = rows.join('') + (format === 'csv' ? '' : endLine(rows, reader));
    expect(response.status).toBe(200);
    expect(response.text.endsWith(whole)).toBe(true);
    expect(response.headers['trailer']).toBeUndefined();
    expect(response.headers['transfer-encoding']).toBeUndefined();
    expect(response.headers).toMatchObject({ 'x-export-rows': '4', connection: 'close' });
    expect(reader.balance()).toBe(9);
  },
);

test.each([
  [0, 4_001, 3],
  [1, 4_001, 2],
  [4_000, 4_001, 1],
])('from row %i of %i it is charged as its pages, at once (Export)', async (from, total, price) => {
  const reader = newReader({ pages: Array(4_001).fill(pages[0]), totalCount: total });

  const { headers } = await download(reader, {
    query: `?from_row=${from}`,
    onResponse: (response) => void response.destroy(),
  });

  expect(headers['x-credits-charged']).toBe(String(price));
  expect(reader.balance()).toBe(10 - price);
});

test('without any row it is free; after the last row it is 422', async () => {
  const empty = newReader({ pages: [], totalCount: 0 });
  const reader = newReader();

  const none = await download(empty);
  const last = await download(reader, { query: '?from_row=4' });
  const beyond = await gateway.call({ path: pathOf(reader.scope, '?from_row=5'), key: reader.key });

  expect(none.bytes.toString()).toBe(endLine([], empty));
  expect(last.bytes.toString()).toBe(endLine([], reader));
  expect([empty.balance(), reader.balance()]).toEqual([10, 10]);
  const issue = { in: 'query', field: 'from_row', reason: 'is beyond the end' };
  expect([beyond.status, beyond.json.error.detail]).toEqual([422, { issues: [issue] }]);
});

test.each([
  ['GET', 'application/json', 406],
  ['GET', '*/*', 200],
  ['GET', 'text/*', 200],
  ['HEAD', '*/*', 405],
])('%s with Accept: %s is %i [json-only, head-is-405]', async (method, accept, status) => {
  const { key, scope } = newReader();

  expect(
    (await gateway.call({ method, path: pathOf(scope), key, headers: { accept } })).status,
  ).toBe(status);
});

describe('a download that is cut', () => {
  /** The store is unavailable after so many runs. */
  function cutAfter(runs: number): void {
    let asked = 0;
    world.revisions.respondInstead = () => {
      asked += 1;
      return asked > runs ? { status: 500, headers: {}, body: '' } : null;
    };
  }

  test('has no end, and stays charged (Export) [export]', async () => {
    const reader = newReader();
    cutAfter(2);

    const { bytes, isWhole } = await download(reader);

    expect([bytes.toString(), isWhole]).toEqual([lines.slice(0, 2).join(''), false]);
    expect(reader.balance()).toBe(9);
  });

  test.each(['text/csv', 'application/x-ndjson'])(
    'over HTTP/1.0 is reset, where its end would be that of the connection: %s (Export) [export]',
    async (accept) => {
      const reader = newReader();
      cutAfter(2);
      const head = `GET ${pathOf(reader.scope)} HTTP/1.0\r\nx-api-key: ${reader.key}`;

      const response = sendRaw(gateway.url, `${head}\r\naccept: ${accept}\r\n\r\n`);

      await expect(response).rejects.toThrow('ECONNRESET');
    },
  );

  test('because the inventory was erased meanwhile has no end either [erase]', async () => {
    const reader = newReader();
    let asked = 0;
    world.revisions.respondInstead = () => {
      asked += 1;
      if (asked === 3) world.revisions.inventories.clear();
      return null;
    };

    const { bytes, isWhole } = await download(reader);

    expect([bytes.toString(), isWhole]).toEqual([lines.slice(0, 2).join(''), false]);
  });

  test('is resumed free under its key, of the same observation, from any row that was paid [idempotency-key-of-page-reads]', async () => {
    const reader = newReader();
    const headers = { 'idempotency-key': 'export' };
    cutAfter(2);
    await download(reader, { headers, query: '?from_row=1' });
    world.reset();
    await noKeyIsOpen(world);
    const { observationId } = reader.meta;
    const call = (query: string) =>
      gateway.call({ path: pathOf(reader.scope, query), key: reader.key, headers });

    const rest = await download(reader, { headers, query: '?from_row=3' });
    const pinned = world.revisions.asked.at(-1)?.searchParams.get('observation_id');
    const unpaid = await call('?from_row=0');
    const foreign = await call(
      '?from_row=3&observation_id=invobs_01900000-0000-7000-8000-000000000000',
    );
    const other = await call('?from_row=3&language=german');
    saveInventory(world.revisions, reader.scope, { pages });
    const gone = await call(`?from_row=3&observation_id=${observationId}`);

    expect(rest.bytes.toString()).toBe(`${lines[3]}${endLine(lines.slice(3), reader)}`);
    expect(rest.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'x-credits-charged': '0',
      'x-credits-remaining': '9',
    });
    expect(pinned).toBe(observationId);
    expect([unpaid, foreign, other, gone].map(({ json }) => json.error.code)).toEqual([
      ...Array(3).fill('idempotency_conflict'),
      'cursor_expired',
    ]);
    expect(reader.balance()).toBe(9);
  });

  test('before its first byte is not charged (Charging a page read) [charging-a-page-read]', async () => {
    const reader = newReader();
    const booked = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    world.ledger.beforeCharge = () => {
      begun.resolve();
      return booked.promise;
    };
    const sent = request(new URL(pathOf(reader.scope), gateway.url), {
      agent: false,
      headers: { 'x-api-key': reader.key },
    });
    sent.on('error', () => undefined).end();
    await begun.promise;
    const gone = new Promise((resolve) => sent.socket?.once('close', resolve));
    sent.socket?.resetAndDestroy();
    await gone;
    booked.resolve();

    await waitFor(
      'the charge is reversed and its intent gone',
      async () =>
        world.ledger.reverses.some(({ requestId: request_id }) =>
          world.ledger.charges.some((charge) => charge.requestId === request_id),
        ) && (await world.records.collection('page_intents').countDocuments()) === 0,
    );
    expect(reader.balance()).toBe(10);
  });
});

/** Of so many rows of four megabytes. */
function newLargeReader(rows: number): Reader {
  const large = membersText('1').replace('"amount":"1"', `"amount":"1","n":"${'x'.repeat(4e6)}"`);
  return newReader({ pages: Array(rows).fill(large), totalCount: rows });
}

test('an export whose client takes nothing ends where another one is refused (Everything is bounded) [export]', async () => {
  const [slow, other] = [newLargeReader(20), newReader()];
  const next = async () =>
    (await single.call({ path: pathOf(other.scope), key: other.key })).status;
  const statuses: number[] = [];

  const cut = await download(slow, {
    at: single,
    async onResponse(response) {
      response.pause();
      statuses.push(await next());
      // What buffers take meanwhile does not make up for it.
      clock.advance(3_000_000);
      statuses.push(await next());
      response.resume();
    },
  });

  expect([statuses, cut.isWhole]).toEqual([[503, 200], false]);
});

test('a client that reads nothing has a few runs in memory, and is cut in time (Export) [export]', async () => {
  const reader = newLargeReader(20);
  const other = newReader();
  const next = () => hasty.call({ path: pathOf(other.scope), key: other.key });

  const cut = await download(reader, {
    at: hasty,
    async onResponse(response) {
      response.pause();
      // It has one slot.
      await waitFor('the slot of the export is free', async () => (await next()).status === 200);
      response.resume();
    },
  });
  const runs = world.revisions.asked.filter(({ pathname }) =>
    pathname.includes(reader.scope.platform_id),
  );

  expect(cut.isWhole).toBe(false);
  // Of 20: what sockets buffer, the one that is sent, and the next.
  expect(runs.length).toBeLessThan(10);
});

test('an account has as many exports at a time as a setting says, and others have theirs', async () => {
  const [first, second, third] = [newReader(), newReader(), newReader()];
  const released = Promise.withResolvers<null>();
  const asked: string[] = [];
  world.revisions.respondInstead = ({ pathname }) => {
    asked.push(pathname);
    return released.promise;
  };
  const held = [first, first, second].map((reader) => download(reader));
  await waitFor('three are read', () => asked.length === 3);
  const call = ({ key, scope }: Reader) => gateway.call({ path: pathOf(scope), key });

  const refused = [await call(second), await call(third)];
  released.resolve(null);
  const whole = await Promise.all(held);
  await waitFor('their slots are free', async () => (await call(third)).status === 200);

  expect(refused.map(({ json }) => json.error.code)).toEqual(Array(2).fill('service_unavailable'));
  expect(whole.every(({ isWhole }) => isWhole)).toBe(true);
  world.revisions.respondInstead = () => null;
});
