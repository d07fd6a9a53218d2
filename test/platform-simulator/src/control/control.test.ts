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

    knob(world, 'PATCH', '/control/limits', { slots: 2, count_max: 1_000 });

    expect(world.limits).toMatchObject({ windowSeconds: 60, slots: 2, countMax: 1_000 });
    expect([1, 2, 3].map((nowMs) => statusOf(world, { nowMs, count: 1_000 }))).toEqual([
      200, 200, 429,
    ]);
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

  it('ends when it is removed', () => {
    const world = unlimitedWorld();
    const { body } = knob(world, 'POST', '/control/faults', { failure: { kind: 'private' } });
    expect(statusOf(world)).toBe(403);

    const faultId = (body as { fault_id: string }).fault_id;

    knob(world, 'DELETE', `/control/faults/${faultId}`);
    expect(statusOf(world)).toBe(200);
  });
});

test('an account goes private and comes back', () => {
  const world = unlimitedWorld();
  const change = (body: unknown) => {
    knob(world, 'PATCH', `/control/accounts/${platformId}`, body);
    return statusOf(world);
  };

  expect([change({ private: true }), change({ private: false })]).toEqual([403, 200]);
});

describe('changes of an inventory', () => {
  it('adds at the top and removes, seen by the next request', () => {
    const world = unlimitedWorld();
    const before = assetIds(walkPages(world, { platformId }));

    knob(world, 'POST', inventoryPath, { kind: 'remove', positions: [10] });
    knob(world, 'POST', inventoryPath, { kind: 'add', count: 2 });

    const pages = walkPages(world, { platformId });
    expect(assetIds(pages).slice(2)).toEqual(before.filter((_, at) => at !== 10));
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
    knob(world, 'POST', inventoryPath, { kind: 'remove', positions: [1_999] });

    const next = walkPages(world, { platformId, count: 2_000 });

    expect(assetIds(next)).toEqual(before.filter((assetId) => assetId !== cursor));
    expect(statusOf(world, { startAssetId: cursor })).toBe(200);
  });

  it('rewords texts and leaves ownership alone', () => {
    const world = unlimitedWorld();
    const [before] = walkPages(world, { platformId });
    knob(world, 'POST', inventoryPath, { kind: 'texts' });

    const [after] = walkPages(world, { platformId });

    expect(after?.assets).toEqual(before?.assets);
    expect(after?.descriptions).not.toEqual(before?.descriptions);
  });
});

describe('bad knob bodies are refused with a sentence', () => {
  it.each([
    ['PATCH', '/control/limits', { slot: 5 }, 'slot'],
    ['PUT', '/control/identities/one', { mode: 'rich' }, 'mode'],
    ['POST', '/control/faults', { failure: { kind: 'meteor' } }, 'failure.kind'],
    ['POST', inventoryPath, { kind: 'add', count: 0 }, 'count'],
    ['POST', inventoryPath, { kind: 'remove', positions: [4_001] }, 'no asset at position 4001'],
    ['POST', '/control/inventories/11111111111111111/730/2', { kind: 'texts' }, 'no inventory'],
  ])('%s %s %j', (method, path, body, named) => {
    const refused = knob(unlimitedWorld(), method, path, body);

    expect(refused.status).toBe(400);
    expect(String((refused.body as { error: string }).error)).toContain(named);
  });

  it('is 400 for what is no JSON, 404 for no endpoint', () => {
    const world = unlimitedWorld();
    const url = new URL('http://platform/control/limits');

    expect(control({ method: 'PATCH', url, body: '{' }, world).status).toBe(400);
    expect(knob(world, 'GET', '/control/nothing').status).toBe(404);
    expect(knob(world, 'DELETE', '/control/limits').status).toBe(404);
  });
});
