import { answer } from '../platform/answer.ts';
import type { World } from '../platform/world.ts';
import { sizePlatformId } from '../platform-ids.ts';
import { assetIds, inventoryRequest, unlimitedWorld, walkPages } from '../testing/ask-platform.ts';
import { control } from './control.ts';

function knob(world: World, method: string, path: string, body?: unknown) {
  const text = body === undefined ? '' : JSON.stringify(body);
  return control({ method, url: new URL(`http://platform${path}`), body: text }, world);
}

const platformId = sizePlatformId(4_001);
const inventoryPath = `/control/inventories/${platformId}/730/2`;

function statusOf(world: World, part: Parameters<typeof inventoryRequest>[0] = {}): number {
  return answer(inventoryRequest({ platformId, ...part }), world).status;
}

describe('limits and latency', () => {
  it('changes the given settings and keeps the rest', () => {
    const world = unlimitedWorld();

    const changed = knob(world, 'PATCH', '/control/limits', { slots: 2, count_max: 1_000 });

    expect(changed.body).toEqual({
      window_seconds: 60,
      slots: 2,
      block_seconds: 60,
      count_max: 1_000,
    });
    expect([1, 2, 3].map((nowMs) => statusOf(world, { nowMs, count: 1_000 }))).toEqual([
      200, 200, 429,
    ]);
  });

  it('forgets blocks when the limiter is cleared', () => {
    const world = unlimitedWorld();
    knob(world, 'PATCH', '/control/limits', { slots: 1 });
    expect([statusOf(world), statusOf(world)]).toEqual([200, 429]);

    knob(world, 'DELETE', '/control/limiter');

    expect(statusOf(world)).toBe(200);
  });

  it('delays answers by the latency set', () => {
    const world = unlimitedWorld();
    knob(world, 'PATCH', '/control/latency', { fixed_ms: 250 });

    expect(answer(inventoryRequest({}), world).delayMs).toBe(250);
  });

  it('makes an identity poor and normal again', () => {
    const world = unlimitedWorld();
    knob(world, 'PUT', '/control/identities/127.0.0.2', { mode: 'block_page' });

    expect(statusOf(world, { identity: '127.0.0.2' })).toBe(403);
    expect(knob(world, 'GET', '/control/identities').body).toEqual({
      identities: { '127.0.0.2': 'block_page' },
    });
    knob(world, 'PUT', '/control/identities/127.0.0.2', { mode: 'normal' });
    expect(statusOf(world, { identity: '127.0.0.2' })).toBe(200);
  });
});

describe('faults', () => {
  const outage = { failure: { kind: 'eresult', code: 20 }, app_id: 440 };

  it('takes one application down and leaves the others up', () => {
    const world = unlimitedWorld();
    knob(world, 'POST', '/control/faults', outage);

    const down = answer(inventoryRequest({ platformId, appId: 440 }), world);
    expect(String(down.body)).toBe('{"error":"SimRefresh failed with EResult 20"}');
    expect(statusOf(world)).toBe(200);
  });

  it('throttles every client', () => {
    const world = unlimitedWorld();
    knob(world, 'POST', '/control/faults', { failure: { kind: 'throttled' } });

    expect([statusOf(world), statusOf(world, { identity: 'other' })]).toEqual([429, 429]);
  });

  it('strikes one page of one account so many times', () => {
    const world = unlimitedWorld();
    const cursor = walkPages(world, { platformId })[0]?.last_assetid;
    knob(world, 'POST', '/control/faults', {
      failure: { kind: 'gateway', status: 502 },
      platform_id: platformId,
      page: 2,
      times: 2,
    });

    const second = () => statusOf(world, { startAssetId: cursor });
    expect([statusOf(world), second(), second(), second()]).toEqual([200, 502, 502, 200]);
  });

  it('strikes about as often as its probability, the same way for the same seed', () => {
    const run = (seed: number) => {
      const world = unlimitedWorld();
      const failure = { kind: 'null_200' };
      knob(world, 'POST', '/control/faults', { failure, probability: 0.3, seed });
      return Array.from({ length: 300 }, () =>
        answer(inventoryRequest({ count: 1 }), world).body === 'null' ? '1' : '0',
      ).join('');
    };

    const struck = run(5).replaceAll('0', '').length;
    expect(run(5)).toBe(run(5));
    expect(run(6)).not.toBe(run(5));
    expect(struck).toBeGreaterThan(50);
    expect(struck).toBeLessThan(130);
  });

  it('ends when it is removed', () => {
    const world = unlimitedWorld();
    const { body } = knob(world, 'POST', '/control/faults', { failure: { kind: 'private' } });
    expect(statusOf(world)).toBe(403);

    const faultId = (body as { fault_id: string }).fault_id;

    expect(knob(world, 'DELETE', `/control/faults/${faultId}`).status).toBe(200);
    expect(knob(world, 'DELETE', `/control/faults/${faultId}`).status).toBe(404);
    expect(statusOf(world)).toBe(200);
  });
});

describe('accounts', () => {
  it('creates accounts of any size, with hidden assets, private or not', () => {
    const world = unlimitedWorld();
    const open = knob(world, 'POST', '/control/accounts', { size: 2_500, hidden: 7 });
    const closed = knob(world, 'POST', '/control/accounts', { size: 5, private: true });

    const openId = (open.body as { platform_id: string }).platform_id;
    const closedId = (closed.body as { platform_id: string }).platform_id;
    const pages = walkPages(world, { platformId: openId });
    expect(open.status).toBe(201);
    expect(assetIds(pages)).toHaveLength(2_500);
    expect(pages[0]?.total_inventory_count).toBe(2_507);
    expect(statusOf(world, { platformId: closedId })).toBe(403);
  });

  it('lets an account go private, vanish and come back', () => {
    const world = unlimitedWorld();
    const path = `/control/accounts/${platformId}`;
    const change = (body: unknown) => {
      knob(world, 'PATCH', path, body);
      return statusOf(world);
    };

    expect(change({ private: true })).toBe(403);
    expect(change({ exists: false })).toBe(404);
    expect(change({ exists: true })).toBe(403);
    expect(change({ private: false })).toBe(200);
  });

  it('has no account outside the families', () => {
    const world = unlimitedWorld();

    expect(knob(world, 'PATCH', '/control/accounts/11111111111111111', {}).status).toBe(404);
    expect(knob(world, 'GET', '/control/inventories/11111111111111111/730/2').status).toBe(404);
  });
});

describe('changes of an inventory', () => {
  it('adds at the top, removes and changes amounts, seen by the next request', () => {
    const world = unlimitedWorld();
    const before = assetIds(walkPages(world, { platformId }));

    knob(world, 'POST', inventoryPath, { kind: 'add', count: 2 });
    knob(world, 'POST', inventoryPath, { kind: 'remove', asset_ids: [before[10]] });
    knob(world, 'POST', inventoryPath, { kind: 'amount', asset_id: before[0], amount: '42' });

    const pages = walkPages(world, { platformId });
    const after = assetIds(pages);
    expect(after.slice(2)).toEqual(before.filter((_, at) => at !== 10));
    expect(pages[0]?.assets?.[2]?.['amount']).toBe('42');
    expect(pages[0]?.total_inventory_count).toBe(4_002);
    expect(knob(world, 'GET', inventoryPath).body).toMatchObject({ assets: 4_002 });
  });

  it('counts positions from the top among what is left', () => {
    const world = unlimitedWorld();
    const before = assetIds(walkPages(world, { platformId }));
    knob(world, 'POST', inventoryPath, { kind: 'remove', positions: [0, 1] });
    knob(world, 'POST', inventoryPath, { kind: 'remove', positions: [0] });

    expect(assetIds(walkPages(world, { platformId }))).toEqual(before.slice(3));
  });

  it('continues by position when the asset of a cursor is gone', () => {
    const world = unlimitedWorld();
    const before = assetIds(walkPages(world, { platformId }));
    const cursor = before[1_999];
    knob(world, 'POST', inventoryPath, { kind: 'remove', asset_ids: [cursor] });

    const next = walkPages(world, { platformId, count: 2_000 });

    expect(assetIds(next)).toEqual(before.filter((assetId) => assetId !== cursor));
    expect(statusOf(world, { startAssetId: cursor })).toBe(200);
  });

  it('holds a page of a walk on request', () => {
    const world = unlimitedWorld();
    knob(world, 'POST', inventoryPath, { kind: 'remove', positions: [3_000], at_page: 2 });
    expect(knob(world, 'GET', inventoryPath).body).toMatchObject({
      assets: 4_001,
      pending_changes: 1,
    });

    const pages = walkPages(world, { platformId });

    expect(pages.map((page) => page.total_inventory_count)).toEqual([4_001, 4_000]);
    expect(assetIds(pages)).toHaveLength(4_000);
  });

  it('rewords texts and leaves ownership alone', () => {
    const world = unlimitedWorld();
    const [before] = walkPages(world, { platformId });
    knob(world, 'POST', inventoryPath, { kind: 'texts' });

    const [after] = walkPages(world, { platformId });

    expect(after?.assets).toEqual(before?.assets);
    expect(after?.descriptions).not.toEqual(before?.descriptions);
  });

  it('is forgotten by a delete and by a reset', () => {
    const world = unlimitedWorld();
    const assets = () => (knob(world, 'GET', inventoryPath).body as { assets: number }).assets;
    knob(world, 'POST', inventoryPath, { kind: 'add', count: 2 });
    expect(assets()).toBe(4_003);

    knob(world, 'DELETE', inventoryPath);
    expect(assets()).toBe(4_001);

    knob(world, 'POST', inventoryPath, { kind: 'add', count: 1 });
    knob(world, 'POST', '/control/reset');
    expect(assets()).toBe(4_001);
  });
});

describe('bad knob bodies are refused with a sentence', () => {
  it.each([
    ['PATCH', '/control/limits', { slots: -1 }, '"slots"'],
    ['PATCH', '/control/limits', { slot: 5 }, 'slot'],
    ['PATCH', '/control/latency', { fixed_ms: 'fast' }, '"fixed_ms"'],
    ['PUT', '/control/identities/one', { mode: 'rich' }, '"mode"'],
    ['POST', '/control/faults', { failure: { kind: 'meteor' } }, '"failure.kind"'],
    ['POST', '/control/faults', { failure: { kind: 'eresult' } }, '"failure.code"'],
    ['POST', '/control/faults', [], 'The body'],
    ['POST', '/control/accounts', { size: 1_000_000 }, '"size"'],
    ['POST', inventoryPath, { kind: 'add', count: 0 }, '"count"'],
    ['POST', inventoryPath, { kind: 'remove' }, 'positions'],
    ['POST', inventoryPath, { kind: 'remove', positions: [4_001] }, 'no asset at position 4001'],
    ['POST', inventoryPath, { kind: 'amount', asset_id: '1', amount: '2' }, 'no asset 1'],
    ['POST', inventoryPath, { kind: 'amount', asset_id: '1', amount: '0' }, '"amount"'],
  ])('%s %s %j', (method, path, body, named) => {
    const refused = knob(unlimitedWorld(), method, path, body);

    expect(refused.status).toBe(400);
    expect(String((refused.body as { error: string }).error)).toContain(named);
  });

  it('is 400 for what is no JSON, 404 for no endpoint, 405 for no such method', () => {
    const world = unlimitedWorld();
    const url = new URL('http://platform/control/limits');

    expect(control({ method: 'PATCH', url, body: '{' }, world).status).toBe(400);
    expect(knob(world, 'GET', '/control/nothing').status).toBe(404);
    expect(knob(world, 'DELETE', '/control/limits').status).toBe(405);
    expect(knob(world, 'constructor', '/control/limits').status).toBe(405);
  });
});
