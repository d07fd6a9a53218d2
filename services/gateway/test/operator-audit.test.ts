import { operatorRole } from '@inventory/contracts/vocabulary';
import { operatorDocument } from '../src/operator/describe-operator-api.ts';
import { operatorRoutes } from '../src/operator/operator-routes.ts';
import { world } from './support/file-operator-world.ts';
import type { OperatorCall, OperatorResponse } from './support/operator-world.ts';
import { operatorWith } from './support/test-operators.ts';

const asRole = (role: string, call: OperatorCall) =>
  world.call({ ...call, authorization: `Bearer token-of-role-${role}` });

interface Entry {
  readonly [field: string]: unknown;
}

/** The entries of a request, oldest first. */
async function entriesOf(response: OperatorResponse): Promise<Entry[]> {
  const requestId = response.headers.get('x-request-id');
  const { json } = await world.call({ path: '/audit?limit=100' });
  expect(json.next_cursor).toBeNull();
  return json.items.filter(({ request_id }: Entry) => request_id === requestId);
}

test('each operation names its role in the document, and every role is one that is granted', () => {
  const { paths } = operatorDocument(operatorRoutes) as {
    paths: Record<string, Record<string, { security: { OperatorToken: string[] }[] }>>;
  };
  const documented = Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ security }) => security),
  );

  expect(documented).toHaveLength(operatorRoutes.length);
  for (const [{ OperatorToken: roles } = { OperatorToken: [] }] of documented) {
    expect(roles).toEqual([expect.stringMatching(new RegExp(operatorRole.options.join('|')))]);
  }
  const changes = operatorRoutes.filter(({ method, action }) => method !== 'GET' && action);
  expect(changes.filter(({ role }) => role === 'read')).toEqual([]);
});

test('a change is recorded with its operator, its parameters and its outcome', async () => {
  const path = '/accounts';
  const response = await asRole('support', { method: 'POST', path, body: { name: 'Trader' } });

  const common = {
    audit_id: expect.stringMatching(/^aud_/),
    at: expect.any(String),
    request_id: response.headers.get('x-request-id'),
    operator: 'support',
    peer: '127.0.0.1',
    method: 'POST',
    path: '/operator/v1/accounts',
    action: 'account.create',
  };
  const { account_id } = response.json;
  expect(await entriesOf(response)).toEqual([
    { ...common, kind: 'started', parameters: { name: 'Trader' }, outcome: null },
    { ...common, kind: 'ended', parameters: { account_id }, outcome: 'done' },
  ]);
});

test('the audit shows the input in the names and times of the API', async () => {
  const { json: account } = await world.call({
    ...{ method: 'POST', path: '/accounts', body: { name: 'Trader' } },
  });
  const projects = `/accounts/${account.account_id}/projects`;
  const { json: project } = await world.call({ method: 'POST', path: projects });
  const { project_id } = project;
  const given = { scopes: ['*'], expires_at: '2099-01-01T01:00:00+01:00', network_policy: ['::1'] };

  const issued = await world.call({
    ...{ method: 'POST', path: `/projects/${project_id}/credentials`, body: given },
  });

  const [started] = await entriesOf(issued);
  expect(started?.['parameters']).toEqual({
    project_id,
    name: null,
    scopes: ['*'],
    expires_at: '2099-01-01T00:00:00.000Z',
    network_policy: ['::1/128'],
  });
});

test('an operator without the role is refused and recorded, and nothing is changed', async () => {
  const { json: account } = await world.call({
    ...{ method: 'POST', path: '/accounts', body: { name: 'Trader' } },
  });
  const path = `/accounts/${account.account_id}`;

  const refused = await asRole('billing', {
    ...{ method: 'PATCH', path, body: { state: 'suspended' } },
  });

  expect([refused.status, refused.json.error.code]).toEqual([403, 'operator_role_required']);
  expect(refused.json.error.detail).toEqual({ role: 'support' });
  expect((await asRole('billing', { path })).json.state).toBe('active');
  expect(await entriesOf(refused)).toMatchObject([
    {
      kind: 'refused',
      operator: 'billing',
      action: 'account.change',
      path: `/operator/v1${path}`,
      parameters: {},
      outcome: 'operator_role_required',
    },
  ]);
});

test('a wrong token is recorded without it, and reads of operators are not recorded', async () => {
  const wrong = 'a-wrong-token-of-a-guess';
  const refused = await world.call({
    ...{ path: `/accounts?token=${wrong}`, authorization: `Bearer ${wrong}` },
  });
  const read = await world.call({ path: '/accounts' });

  const [entry, ...more] = await entriesOf(refused);
  expect(entry).toMatchObject({
    ...{ kind: 'refused', operator: null, action: null, path: '/operator/v1/accounts' },
    outcome: 'operator_token_required',
  });
  expect(more).toEqual([]);
  expect(JSON.stringify(entry)).not.toContain(wrong);
  expect(await entriesOf(read)).toEqual([]);
});

test('the audit is read by time and operator, in parts, each entry once', async () => {
  const made: unknown[] = [];
  for (let count = 0; count < 3; count += 1) {
    const body = { name: `Trader ${count}` };
    const response = await asRole('support', { method: 'POST', path: '/accounts', body });
    made.push(response.headers.get('x-request-id'));
  }
  const all = await world.call({ path: '/audit?operator=support&limit=100' });
  const [from, to] = [all.json.items.at(-6).at, all.json.items.at(-1).at];

  const listed: Entry[] = [];
  const path = `/audit?operator=support&limit=4&from=${from}&to=2099-01-01T00:00:00Z`;
  for (let more: string | null = ''; more !== null; ) {
    const part: OperatorResponse = await world.call({ path: path + more });
    listed.push(...part.json.items);
    more = part.json.next_cursor && `&cursor=${part.json.next_cursor}`;
  }
  const until = await world.call({ path: `/audit?operator=support&limit=100&to=${to}` });

  expect(listed.slice(-6).map(({ request_id }) => request_id)).toEqual(
    made.flatMap((id) => [id, id]),
  );
  expect(new Set(listed.map(({ audit_id }) => audit_id)).size).toBe(listed.length);
  for (const { at } of until.json.items) expect(at < to).toBe(true);
});

test('wrong tokens are throttled per peer, until the limit refills; the right one is served all the same', async () => {
  const at = { ms: 0 };
  const token = 'the-token-of-a-throttled-operator';
  const call = await world.callWith(
    { clock: { now: () => at.ms } },
    { operators: [operatorWith('alice', token, 'admin')], attemptsPerMinute: 2 },
  );
  const tried = (authorization: string) => call({ path: '/accounts', authorization });
  const right = `Bearer ${token}`;

  const before = [await tried(right), await tried('Bearer x'), await tried('Bearer y')];
  const throttled = await tried('Bearer z');
  const meanwhile = await tried(right);
  at.ms += 30_000;
  const after = [await tried('Bearer x'), await tried('Bearer y')];

  expect(before.map(({ status }) => status)).toEqual([200, 401, 401]);
  expect([throttled.status, throttled.json.error.code]).toEqual([429, 'operator_throttled']);
  expect(throttled.headers.get('retry-after')).toBe('30');
  expect(meanwhile.status).toBe(200);
  expect(after.map(({ status }) => status)).toEqual([401, 429]);
});
