import { connect } from 'node:net';
import { errorBody } from '@inventory/contracts/http/error-body';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openReader, type StreamReader } from './support/stream-reader.ts';

const stack = openSharedStack();
let customer: Customer;
let cursor: string;
const scopes = ['*', 'customer.events.read.v1'];

beforeAll(async () => {
  const { accountId, projectId, ...others } = await stack.operator.newCustomer();
  await stack.operator.switchEvents(accountId, true);
  const credential = await stack.operator.newCredential(projectId, { scopes });
  customer = { ...others, accountId, projectId, ...credential };
  const reader = await open();
  cursor = (await reader.frame('checkpoint')).id ?? '';
  reader.cut();
});
afterAll(() => stack.close());

function open(headers: Readonly<Record<string, string>> = {}): Promise<StreamReader> {
  const { projectId, secret: apiKey } = customer;
  return openReader({ gatewayUrl: stack.gatewayUrl, projectId, apiKey, headers });
}

const streamPath = () => `/v2/projects/${customer.projectId}/events/stream`;

/** Cursors that were never issued to this Project. */
function malformedCursors(): string[] {
  const flipped = Array.from({ length: 24 }, (_none, index) => {
    const at = Math.floor((index * cursor.length) / 24);
    const other = cursor[at] === 'A' ? 'B' : 'A';
    return cursor.slice(0, at) + other + cursor.slice(at + 1);
  });
  const cut = Array.from({ length: 16 }, (_none, index) =>
    cursor.slice(0, Math.floor((index * cursor.length) / 16) + 1),
  );
  const words = ['0', '-1', 'null', 'undefined', 'NaN', '{}', '[]', '[1,0,0]', '..', '%00', '*'];
  const injections = [
    '{"$gt":""}',
    "' OR 1=1 --",
    '<script>alert(1)</script>',
    '../../etc/passwd',
    ['$', '{jndi:ldap://127.0.0.1/a}'].join(''),
    'a'.repeat(128),
    'a'.repeat(256),
    'a'.repeat(300),
    '='.repeat(64),
    cursor.repeat(2),
    `${cursor}=`,
    `${cursor}A`,
    ` ${cursor.slice(1)}`,
    cursor.toUpperCase(),
    cursor.split('').toReversed().join(''),
    Buffer.from('[1,0,0]').toString('base64url'),
    Buffer.alloc(64).toString('base64url'),
    '-'.repeat(63),
    '_'.repeat(63),
    'evt_0197a4b0-0000-5000-8000-000000000001',
  ];
  return [...flipped, ...cut, ...words, ...injections].filter((one) => one !== cursor);
}

/** The status of whatever is answered to these bytes; null where the connection just ends. */
function statusOf(lines: readonly string[]): Promise<number | null> {
  const { hostname, port } = new URL(stack.gatewayUrl);
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      received += part;
      if (received.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('close', () => {
      const [, status] = /^HTTP\/1\.1 ([0-9]{3})/.exec(received) ?? [];
      resolve(status === undefined ? null : Number(status));
    });
    socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  });
}

function wholeRequest(change: {
  readonly start?: string;
  readonly headers?: readonly string[];
  readonly secret?: string;
}): string[] {
  const { start = `GET ${streamPath()} HTTP/1.1`, headers = [] } = change;
  return [start, 'Host: gateway', `X-API-Key: ${change.secret ?? customer.secret}`, ...headers];
}

test('cursors that were not issued to the Project are refused with 422, on the stream and on the list (Events: invalid_cursor) [events-cursors]', async () => {
  const cursors = malformedCursors();
  const seen = new Map<string, number>();
  const note = (status: number, code: string) => {
    const name = `${status} ${code}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
  };

  await forEachLimited(cursors, 8, async (one) => {
    const reader = await open({ 'last-event-id': one });
    await waitFor('the refusal ends', () => reader.ended());
    note(reader.status, errorBody.parse(JSON.parse(reader.text())).error.code);
    const path = `/v2/projects/${customer.projectId}/events?after=${encodeURIComponent(one)}`;
    const { status, json } = await customer.api.call({ path });
    note(status, errorBody.parse(json).error.code);
  });

  expect(cursors.length).toBeGreaterThanOrEqual(60);
  expect([...seen]).toEqual([['422 invalid_cursor', 2 * cursors.length]]);
});

test('whatever a header contains, only a whole and valid request opens a stream', async () => {
  const bytes = ['\x00', '\x01', '\x07', '\x0b', '\x1b', '\x7f', '\r', '\n', '\n ', '\r\n\t'];
  const broken = bytes.flatMap((byte) => [
    wholeRequest({ headers: [`Last-Event-ID: ${cursor.slice(0, 9)}${byte}${cursor.slice(9)}`] }),
    wholeRequest({ headers: [`Last-Event-ID: ${byte}x`, 'Accept: text/event-stream'] }),
  ]);
  const accepts = ['application/json', 'text/html', 'text/event-stream;q=0', 'image/*', ',', 'x'];
  const methods = ['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'BREW'];
  const paths = ['prj_', 'prj_x', '%00', '..', '*', customer.projectId.toUpperCase()];
  const requests = [
    ...broken,
    ...accepts.map((accept) => wholeRequest({ headers: [`Accept: ${accept}`] })),
    ...methods.map((method) => wholeRequest({ start: `${method} ${streamPath()} HTTP/1.1` })),
    ...paths.map((id) => wholeRequest({ start: `GET /v2/projects/${id}/events/stream HTTP/1.1` })),
    wholeRequest({ headers: ['Last-Event-ID: ä'] }),
    wholeRequest({ headers: ['Last-Event-ID: \xff\xfe'] }),
    wholeRequest({ headers: [`Last-Event-ID: ${'x'.repeat(300)}`] }),
    wholeRequest({ headers: [`Last-Event-ID: ${'x'.repeat(20_000)}`] }),
    wholeRequest({ headers: [`Last-Event-ID: ${cursor}`, 'Last-Event-ID: forged'] }),
    wholeRequest({
      headers: Array.from({ length: 300 }, (_none, index) => `X-${index}: ${'y'.repeat(99)}`),
    }),
    wholeRequest({ headers: [`X-API-Key: ${customer.secret}`] }),
    wholeRequest({ headers: ['X-API-Key: inv_other'] }),
    wholeRequest({ start: `GET ${streamPath()} HTTP/9.9` }),
    [`GET ${streamPath()} HTTP/1.1`, 'Host: gateway'],
    [`GET ${streamPath()} HTTP/1.1`, 'Host: gateway', 'X-API-Key:'],
    [`GET ${streamPath()}?api_key=${customer.secret} HTTP/1.1`, 'Host: gateway'],
  ];
  const statuses: (number | null)[] = [];

  await forEachLimited(requests, 8, async (lines) => {
    const status = await statusOf(lines);
    if (status === 200) throw new Error(`opened a stream: ${JSON.stringify(lines.slice(0, 5))}`);
    statuses.push(status);
  });

  const refusals = [null, 400, 401, 404, 405, 406, 422, 431];
  expect(statuses.filter((status) => !refusals.includes(status))).toEqual([]);
  expect(requests.length + malformedCursors().length).toBeGreaterThan(120);
});

test('streams that were opened and cut at once, by the hundred, leave no slot taken', async () => {
  // With a key of their own: streams of one key make room for its next one, so they leave none taken.
  const { secret } = await stack.operator.newCredential(customer.projectId, { scopes });
  const opened = Array.from({ length: 300 }, (_none, index) => index);
  await forEachLimited(opened, 8, async (index) => {
    const { hostname, port } = new URL(stack.gatewayUrl);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.write(`${wholeRequest({ secret }).join('\r\n')}\r\n\r\n`);
      if (index % 3 === 0) socket.on('data', () => socket.resetAndDestroy());
      else setTimeout(() => socket.resetAndDestroy(), index % 20);
    });
  });

  const held = await waitFor('four streams are given', async () => {
    const readers = await Promise.all([1, 2, 3, 4].map(() => open()));
    if (readers.every(({ status }) => status === 200)) return readers;
    for (const reader of readers) reader.cut();
    return undefined;
  });
  const id = await customer.api.accepted(sizeScope(3, 50_001));
  await untilCompleted(customer.api, customer.projectId, [id]);
  for (const reader of held) {
    const [frame] = await reader.events(1);
    expect(JSON.parse(frame?.data ?? '').data.refresh_id).toBe(id);
    reader.cut();
  }
});

test('no key and no cursor of any of this is in a log', () => {
  const logs = stack.readLog();

  expect(logs).not.toContain(customer.secret);
  expect(logs).not.toContain(cursor);
  expect(logs).not.toMatch(/"level":"?(fatal|60)/);
});
