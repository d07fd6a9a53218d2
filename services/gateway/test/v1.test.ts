import {
  v1AliasFailure,
  v1InvalidRequest,
  v1Inventory,
  v1OriginalFailure,
} from '@inventory/contracts/http/v1';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { PublicCode } from '@inventory/contracts/refusal-codes';
import type { Permission } from '@inventory/contracts/vocabulary';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiResponse } from './support/api-call.ts';
import { noPage, setLiveInventory } from './support/fake-live-pages.ts';
import { membersText } from './support/fake-revision-store.ts';
import { gateway, world } from './support/file-gateway.ts';
import { livePathOf, v1AliasPathOf, v1PathOf } from './support/paths.ts';
import { noKeyIsOpen } from './support/settled-keys.ts';

interface Asking {
  readonly scope?: InventoryKey;
  readonly key?: string;
  /** What follows the path. */
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

const routes = [
  ['original', v1PathOf],
  ['alias', v1AliasPathOf],
] as const;

function ask(pathOf: (scope: InventoryKey) => string, given: Asking): Promise<ApiResponse> {
  const { scope = newScope(), key, query = '', headers = {}, method = 'GET' } = given;
  return gateway.call({ method, path: pathOf(scope) + query, key, headers });
}

const issued = (of: Parameters<typeof world.issue>[0] = {}, more: Asking = {}) => {
  return (): Asking => ({ key: world.issue(of).key, ...more });
};
function answering(instead: NonNullable<typeof world.collector.live.respondInstead>) {
  return (): Asking => {
    world.collector.live.respondInstead = instead;
    return issued()();
  };
}
const platform = (...trouble: Parameters<typeof noPage>) => answering(() => noPage(...trouble));
const withoutCollector = (): Asking => {
  world.collector.http.isDown = true;
  return issued()();
};
const permissions: Permission[] = ['platform.inventory.refresh.v1'];
const networkPolicies = [['192.0.2.0/24']];
const accept = { headers: { accept: 'text/html' } };

/** The fixed texts of the original route. */
const texts: Partial<Record<PublicCode, string>> = {
  missing_api_key: 'API Key is missing',
  invalid_api_key: 'Invalid API Key',
  permission_denied: 'Unauthorized',
  inventory_private: 'Inventory is private',
  inventory_not_found: 'Inventory not found',
  rate_limit_exceeded: 'Rate limit exceeded',
  upstream_unavailable: 'Upstream unavailable',
  service_unavailable: 'Service unavailable',
  internal_error: 'Internal server error',
  method_not_allowed: 'Method Not Allowed',
  not_acceptable: 'Not Acceptable',
};
const failures: readonly (readonly [string, number, PublicCode, () => Asking])[] = [
  ['no key', 401, 'missing_api_key', () => ({})],
  ['a wrong key', 401, 'invalid_api_key', () => ({ key: 'wrong' })],
  ['a missing scope', 403, 'permission_denied', issued({ permissions })],
  ['a foreign network', 403, 'permission_denied', issued({ networkPolicies })],
  ['a private inventory', 403, 'inventory_private', platform('private')],
  ['an unknown inventory', 404, 'inventory_not_found', issued()],
  ['a full rate window', 429, 'rate_limit_exceeded', issued({ requestsPerMinute: 0 })],
  ['a platform in trouble', 502, 'upstream_unavailable', platform('throttled', 30)],
  ['a silent platform', 502, 'upstream_unavailable', platform('timeout', 5)],
  ['too many reads at a time', 429, 'rate_limit_exceeded', platform('concurrency_limit', 2)],
  ['an unavailable collector', 503, 'service_unavailable', withoutCollector],
  ['nonsense', 500, 'internal_error', answering(() => ({ status: 409, body: '{}' }))],
  ['a method that is not offered', 405, 'method_not_allowed', issued({}, { method: 'POST' })],
  ['JSON refused', 406, 'not_acceptable', issued({}, accept)],
];

const retryable = [429, 502, 503];

describe.each(routes)('the %s route of V1', (dialect, pathOf) => {
  const ends = [
    ['a path', ''],
    ['a path that ends in a slash', '/'],
  ] as const;

  const expectDeprecated = (response: ApiResponse, scope?: InventoryKey) => {
    expect(response.headers['deprecation']).toBe('@1767225600');
    const link = String(response.headers['link']);
    expect(link).toMatch(/^<\/v2\/platform\/users\/.+>; rel="successor-version"$/);
    if (scope) expect(link).toContain(`<${livePathOf(scope)}>`);
    expect(response.headers['sunset']).toBeUndefined();
    expect(response.headers['x-request-id']).toMatch(/^req_/);
  };

  test.each(ends)(
    '%s gives the unwrapped page with its bill in headers (V1 rule 4, V1: a trailing slash) [v1-rule-4, v1-credit-headers]',
    async (_path, end) => {
      const { key, principal } = world.issue();
      const scope = newScope();
      setLiveInventory(world.collector.live, scope, {
        pages: [membersText('1'), membersText('2')],
        totalCount: 4_001,
      });
      world.ledger.setBalance(principal.accountId, 10);

      const response = await ask(pathOf, { scope, key, query: `${end}?language=german` });

      expect(response.status).toBe(200);
      expect(response.text).toBe(
        `{"success":1,${membersText('1')},"total_inventory_count":4001,"more_items":1,"last_assetid":"1000"}`,
      );
      v1Inventory.strict().parse(response.json);
      expect(response.headers['x-credits-charged']).toBe('1');
      expect(response.headers['x-credits-remaining']).toBe('9');
      expect(response.headers['x-api-credits-remaining']).toBe(
        dialect === 'original' ? '9' : undefined,
      );
      expectDeprecated(response, scope);
      expect(world.collector.live.asked.at(-1)?.searchParams.get('form')).toBe('v1');
    },
  );

  test('is traversed by start_assetid until more_items is absent (V1 rule 2) [v1-bodies-and-traversal]', async () => {
    const { key } = world.issue();
    const scope = newScope();
    const pages = [membersText('1'), membersText('2'), membersText('3')];
    setLiveInventory(world.collector.live, scope, { pages });

    const ids: (string | undefined)[] = [];
    let query = '';
    for (;;) {
      const page = v1Inventory.parse((await ask(pathOf, { scope, key, query })).json);
      ids.push(page.assets[0]?.assetid);
      if (!page.more_items) {
        expect(page).not.toHaveProperty('last_assetid');
        break;
      }
      query = `?start_assetid=${page.last_assetid}`;
    }

    expect(ids).toEqual(['1', '2', '3']);
  });

  test('ignores a query parameter that it does not know (Transport) [path-values]', async () => {
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: [membersText('1')] });

    const response = await ask(pathOf, {
      scope,
      key: world.issue().key,
      query: '?count=5000&l=german',
    });

    expect(response.status).toBe(200);
  });

  test('gives an empty inventory both arrays, empty, and charges its page [empty-private-unavailable]', async () => {
    const { key } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, {
      pages: ['"assets":[],"descriptions":[]'],
      totalCount: 0,
    });

    const response = await ask(pathOf, { scope, key });

    expect(response.text).toBe(
      '{"success":1,"assets":[],"descriptions":[],"total_inventory_count":0}',
    );
    expect(response.headers['x-credits-charged']).toBe('1');
  });

  const ended = ends.flatMap((end) => failures.map((one) => [...end, ...one] as const));

  test.each(ended)(
    '%s (%j) and %s: %i in its own dialect (V1: a trailing slash)',
    async (_path, end, _what, status, code, given) => {
      const response = await ask(pathOf, { ...given(), query: end });

      expect(response.status).toBe(status);
      if (dialect === 'original') {
        expect(v1OriginalFailure.strict().parse(response.json)).toEqual({ detail: texts[code] });
      } else {
        const { error } = v1AliasFailure.strict().parse(response.json);
        expect(error.code).toBe(code);
        expect(error.request_id).toBe(response.headers['x-request-id']);
      }
      expectDeprecated(response);
      expect(response.headers['retry-after'] !== undefined).toBe(retryable.includes(status));
      const billed = code === 'inventory_private' || code === 'inventory_not_found';
      expect(response.headers['x-credits-charged']).toBe(billed ? '1' : undefined);
      expect(response.headers['x-credits-remaining'] !== undefined).toBe(billed);
    },
  );

  test('without credits is 402, and no charge was decided [v1-credit-headers]', async () => {
    const { key, principal } = world.issue();
    world.ledger.setBalance(principal.accountId, 0);

    const response = await ask(pathOf, { key });

    expect(response.status).toBe(402);
    const { error, detail } = JSON.parse(response.text);
    if (dialect === 'original') expect(detail).toBe('Insufficient credits');
    else {
      const detail = { required: 1, available: 0 };
      expect(error).toMatchObject({ code: 'insufficient_credits', detail });
    }
    expect(response.headers['x-credits-charged']).toBeUndefined();
    expectDeprecated(response);
  });

  test('without a billing outcome is 503, and says when to come back [service-unavailable]', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: [membersText('1')] });
    world.ledger.decidesCharge = () => false;
    const answering = ask(pathOf, { scope, key });
    await waitFor('the charge is sent', () =>
      world.ledger.charges.some(({ accountId }) => accountId === principal.accountId),
    );
    gateway.cutReplies();

    const response = await answering;

    expect(response.status).toBe(503);
    expect(JSON.parse(response.text)).toEqual(
      dialect === 'original'
        ? { detail: 'Billing unavailable' }
        : { error: expect.objectContaining({ code: 'billing_unavailable' }) },
    );
    expect(response.headers['retry-after']).toBe('1');
    expect(response.headers['x-credits-charged']).toBeUndefined();
  });

  test.each([
    ['?start_assetid=12a', 'start_assetid'],
    ['?start_assetid=', 'start_assetid'],
    [`?start_assetid=${'9'.repeat(21)}`, 'start_assetid'],
    ['?start_assetid=1&start_assetid=2', 'start_assetid'],
    ['?language=klingon', 'language'],
    ['/?language=klingon', 'language'],
  ])(
    '%s is 422 with the error object on both routes (V1 rule 5) [v1-rule-5]',
    async (query, field) => {
      const { key } = world.issue();

      const response = await ask(pathOf, { key, query });

      expect(response.status).toBe(422);
      const { error } = v1InvalidRequest.strict().parse(response.json);
      expect(error.detail.issues).toEqual([expect.objectContaining({ in: 'query', field })]);
      expectDeprecated(response);
    },
  );

  test('a platform_id that is none is 422, and unknown parameters are ignored [path-values]', async () => {
    const { key } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: [membersText('1')] });
    const wrong = { ...scope, platform_id: 'someone<script>' };

    const response = await gateway.call({ path: pathOf(wrong), key });

    expect(response.status).toBe(422);
    expect(String(response.headers['link'])).not.toContain('<script>');
    expect((await ask(pathOf, { scope, key, query: '?count=5000&l=german' })).status).toBe(200);
  });

  test('an Idempotency-Key with other inputs is 409, with the same ones free (Reads)', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: [membersText('1'), membersText('2')] });
    const headers = { 'idempotency-key': `first-${dialect}` };
    world.ledger.setBalance(principal.accountId, 10);
    expect((await ask(pathOf, { scope, key, headers })).status).toBe(200);
    await noKeyIsOpen(world);

    const again = await ask(pathOf, { scope, key, headers });
    const other = await ask(pathOf, { scope, key, headers, query: '?start_assetid=1000' });

    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['x-credits-charged']).toBe('0');
    expect(again.headers['x-credits-remaining']).toBe('9');
    expect(other.status).toBe(409);
    expect(JSON.parse(other.text)).toEqual(
      dialect === 'original'
        ? { detail: 'Idempotency-Key was used with other inputs' }
        : { error: expect.objectContaining({ code: 'idempotency_conflict' }) },
    );
    expect(world.ledger.balanceOf(principal.accountId)).toBe(9);
  });
});

test('what is no V1 route is answered in V2 and not deprecated [v1-deprecation-headers]', async () => {
  const response = await gateway.call({ path: '/api/v1/other' });

  expect(response.json.error.code).toBe('route_not_found');
  expect(response.headers['deprecation']).toBeUndefined();
});
