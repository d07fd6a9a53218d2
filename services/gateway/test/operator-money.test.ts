import { randomUUID } from 'node:crypto';
import { holdsOfEveryAccount } from './support/fake-books.ts';
import { world } from './support/file-operator-world.ts';

async function newAccountPath(): Promise<string> {
  return `/accounts/${(await world.tenancy.createAccount({ name: 'Trader' })).accountId}`;
}

function book(path: string, body: unknown, key: string = randomUUID(), isUndecided = false) {
  return world.call({
    method: 'POST',
    path,
    body,
    headers: { 'idempotency-key': key },
    isUndecided,
  });
}

test('a top-up adds credits and says what the account has now [bookings]', async () => {
  const path = await newAccountPath();

  const response = await book(`${path}/top-ups`, { amount: 1_000 });

  expect(response.status).toBe(200);
  expect(response.json).toEqual({
    account_id: path.split('/')[2],
    kind: 'grant',
    seq: 1,
    at: expect.any(String),
    asset: 'credits',
    amount: 1_000,
    reason: 'top-up',
    request_id: expect.stringMatching(/^req_/),
    balance: { total: 1_000, held: 0, available: 1_000 },
  });
});

test('the same key again books nothing more and gives the same answer, byte for byte', async () => {
  const path = await newAccountPath();
  const first = await book(`${path}/top-ups`, { amount: 5, reason: 'invoice 7' }, 'invoice 7');
  await book(`${path}/top-ups`, { amount: 5 }, 'invoice 8');

  const again = await book(`${path}/top-ups`, { amount: 5, reason: 'invoice 7' }, 'invoice 7');

  expect(again.text).toBe(first.text);
  expect((await world.call({ path: `${path}/balance` })).json.balances).toEqual([
    { asset: 'credits', total: 10, held: 0, available: 10 },
  ]);
});

test('the same key with other inputs is a conflict and books nothing', async () => {
  const path = await newAccountPath();
  await book(`${path}/top-ups`, { amount: 5 }, 'one');

  for (const body of [{ amount: 6 }, { amount: 5, reason: 'other' }]) {
    const response = await book(`${path}/top-ups`, body, 'one');
    expect([response.status, response.json.error.code]).toEqual([409, 'idempotency_conflict']);
  }
  expect((await world.call({ path: `${path}/balance` })).json.balances[0].total).toBe(5);
});

test('a key counts within its account and its kind of entry', async () => {
  const [path, other] = [await newAccountPath(), await newAccountPath()];

  const entries = [
    await book(`${path}/top-ups`, { amount: 5 }, 'one'),
    await book(`${other}/top-ups`, { amount: 5 }, 'one'),
    await book(`${path}/adjustments`, { amount: -5, reason: 'x' }, 'one'),
  ];

  expect(entries.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(entries.map(({ json }) => json.balance.total)).toEqual([5, 5, 0]);
  expect(new Set(entries.map(({ json }) => json.request_id)).size).toBe(3);
});

test('the command is the same whenever it is sent: the ledger can tell a repetition', async () => {
  const path = await newAccountPath();
  const before = world.books.commands.length;

  for (let times = 0; times < 3; times += 1) await book(`${path}/top-ups`, { amount: 5 }, 'one');

  const sent = world.books.commands.slice(before);
  expect(sent).toHaveLength(3);
  expect(new Set(sent.map((command) => JSON.stringify(command))).size).toBe(1);
  expect(sent[0]?.commandId).toBe(`grant:${path.split('/')[2]}:one`);
});

test('an adjustment below what is available is refused with both numbers', async () => {
  const path = await newAccountPath();
  await book(`${path}/top-ups`, { amount: 5 });

  const response = await book(`${path}/adjustments`, { amount: -6, reason: 'refund' });

  expect([response.status, response.json.error.code]).toEqual([402, 'insufficient_credits']);
  expect(response.json.error.detail).toEqual({ required: 6, available: 5 });
});

test('without an answer the outcome is unknown, and the same key finds it out', async () => {
  const path = await newAccountPath();
  world.books.responses = false;
  const unknown = await book(`${path}/top-ups`, { amount: 5 }, 'one', true);
  world.books.responses = true;

  expect([unknown.status, unknown.json.error.code]).toEqual([503, 'billing_unavailable']);
  expect(unknown.json.error.detail).toEqual({ outcome: 'unknown' });
  const again = await book(`${path}/top-ups`, { amount: 5 }, 'one');
  expect(again.json.balance.total).toBe(5);
});

test('an account that does not exist is not booked on', async () => {
  const before = world.books.commands.length;
  const path = '/accounts/acc_00000000-0000-7000-8000-000000000000';

  const response = await book(`${path}/top-ups`, { amount: 5 });

  expect([response.status, response.json.error.code]).toEqual([404, 'account_not_found']);
  expect(world.books.commands).toHaveLength(before);
});

test.each([
  ['top-ups', { amount: 0 }, 'amount'],
  ['top-ups', { amount: -1 }, 'amount'],
  ['top-ups', { amount: 1.5 }, 'amount'],
  ['top-ups', { amount: '5' }, 'amount'],
  ['top-ups', { amount: 1_000_000_000_001 }, 'amount'],
  ['top-ups', { amount: 1, reason: '' }, 'reason'],
  ['top-ups', { amount: 1, asset: 'units' }, 'asset'],
  ['adjustments', { amount: 5 }, 'reason'],
  ['adjustments', { amount: 0, reason: 'x' }, 'amount'],
  ['adjustments', { amount: -1_000_000_000_001, reason: 'x' }, 'amount'],
  ['adjustments', { amount: 5, reason: 'x'.repeat(501) }, 'reason'],
])('%s of %j books nothing', async (part, body, field) => {
  const path = await newAccountPath();
  const before = world.books.commands.length;

  const response = await book(`${path}/${part}`, body);

  expect([response.status, response.json.error.code]).toEqual([422, 'invalid_request']);
  expect(response.json.error.detail.issues).toMatchObject([{ in: 'body', field }]);
  expect(world.books.commands).toHaveLength(before);
});

test.each([undefined, '', 'x'.repeat(201), 'ключ'])('the key %j is refused', async (key) => {
  const path = await newAccountPath();
  const headers =
    key === undefined ? {} : { 'idempotency-key': encodeURI(key) === key ? key : 'é' };

  const response = await world.call({
    method: 'POST',
    path: `${path}/top-ups`,
    body: { amount: 1 },
    headers: headers as Record<string, string>,
  });

  expect([response.status, response.json.error.code]).toEqual([422, 'invalid_request']);
  expect(response.json.error.detail.issues).toMatchObject([
    { in: 'header', field: 'idempotency-key' },
  ]);
});

describe('statement', () => {
  let path: string;

  beforeAll(async () => {
    path = await newAccountPath();
    for (const amount of [1, 2, 3])
      await book(`${path}/top-ups`, { amount, reason: `no. ${amount}` });
  });

  test('comes oldest first, in parts, by cursors that are valid for its account only', async () => {
    const first = (await world.call({ path: `${path}/statement?limit=2` })).json;
    const cursor = first.next_cursor;
    const last = (await world.call({ path: `${path}/statement?limit=2&cursor=${cursor}` })).json;

    const changes = [...first.items, ...last.items].map((row) => row.change_available);
    expect(changes).toEqual([1, 2, 3]);
    expect(last.next_cursor).toBeNull();
    const other = `${await newAccountPath()}/statement?cursor=${cursor}`;
    expect((await world.call({ path: other })).json.error.code).toBe('invalid_cursor');
  });

  test('is CSV when asked for by format or by Accept, with the next cursor in a header', async () => {
    const byFormat = await world.call({ path: `${path}/statement?format=csv&limit=2` });
    const headers = { accept: 'text/csv' };
    const byAccept = await world.call({ path: `${path}/statement?limit=2`, headers });

    expect(byAccept.text).toBe(byFormat.text);
    for (const { headers: given } of [byFormat, byAccept]) {
      expect(given.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
      expect(given.get('x-next-cursor')).toMatch(/./);
    }
    const lines = byFormat.text.split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[2]).toMatch(/,grant,credits,2,0,3,0,,,,,req_[^,]+,no\. 2$/);
  });
});

test('holds come oldest first, in parts, each once', async () => {
  const path = `${await newAccountPath()}/holds?limit=1`;
  const seen: { reserved_at: string; refresh_id: string }[] = [];
  let cursor: string | null = '';
  for (let parts = 0; cursor !== null && parts < 10; parts += 1) {
    const at: string = cursor === '' ? path : `${path}&cursor=${cursor}`;
    const { items, next_cursor } = (await world.call({ path: at })).json;
    seen.push(...items);
    cursor = next_cursor;
  }

  expect(new Set(seen.map(({ refresh_id }) => refresh_id)).size).toBe(holdsOfEveryAccount);
  const times = seen.map(({ reserved_at }) => reserved_at);
  expect(times).toEqual(times.toSorted());
});

test('admission is shown, closed and opened', async () => {
  const change = (operator_closed: boolean) =>
    world.call({ method: 'PUT', path: '/admission', body: { operator_closed } });

  expect((await change(true)).json).toMatchObject({ state: 'closed', reason: 'operator_closed' });
  expect((await world.call({ path: '/admission' })).json.operator_closed).toBe(true);
  expect((await change(false)).json).toMatchObject({ state: 'open', outstanding: 3 });
});

test('an inventory is erased by its scope [erase]', async () => {
  const path = '/inventories/76561198000000000/4294967295/2147483647';

  const [platform_id, other_id] = ['76561198000000000', '76561198000000001'];
  const captures = world.db.collection<{ _id: string; capture: object }>('captures');
  const captureOf = (id: string) => ({
    _id: `chain of ${id}`,
    capture: { scope: { platform_id: id, app_id: 4_294_967_295, context_id: 2_147_483_647 } },
  });
  await captures.insertMany([platform_id, other_id].map(captureOf));

  const response = await world.call({ method: 'DELETE', path });

  expect(response.json).toEqual({
    platform_id,
    app_id: 4_294_967_295,
    context_id: 2_147_483_647,
    erased: true,
  });
  expect(await captures.find({}).toArray()).toEqual([captureOf(other_id)]);
  expect(world.erased).toEqual([path, `collector ${path}`]);
});

test('the report of a verification is given as the ledger made it, problems included', async () => {
  const problems = [{ account_id: 'acc_1', seq: 7, problem: 'gap' }];
  const report = { ...world.books.report, ok: false, accounts: 2, entries: 9, problems };
  world.books.report = report;

  const response = await world.call({ method: 'POST', path: '/ledger/verify' });

  expect(response.status).toBe(200);
  expect(response.json).toEqual(report);
});
