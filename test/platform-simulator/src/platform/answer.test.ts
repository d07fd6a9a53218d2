import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { sizePlatformId } from '../platform-ids.ts';
import { inventoryRequest, unlimitedWorld } from '../testing/request-platform.ts';
import { answer } from './answer.ts';
import type { FaultRule } from './fault-rules.ts';
import type { World } from './world.ts';

/** What can be wrong with a request, in the platform's order, and the response that shows it. */
const troubles = [
  { name: 'throttled', status: 429, body: 'null' },
  { name: 'poorIdentity', status: 400, body: 'null' },
  { name: 'noAccount', status: 404, body: 'null' },
  { name: 'private', status: 403, body: 'null' },
  { name: 'countTooBig', status: 400, body: 'null' },
  { name: 'unknownApp', status: 500, body: '{"error":"SimRefresh failed with EResult 42"}' },
  { name: 'itemServerFault', status: 500, body: '{"error":"SimRefresh failed with EResult 55"}' },
] as const;

type Trouble = (typeof troubles)[number]['name'];

const platformId = sizePlatformId(3, 77);

function worldWith(having: ReadonlySet<Trouble>): World {
  const world = unlimitedWorld();
  world.limits = { ...world.limits, slots: having.has('throttled') ? 0 : 6 };
  if (having.has('poorIdentity')) {
    world.identityModes.set('tester', 'bad_request');
  }
  if (having.has('private')) world.privateAccounts.add(platformId);
  if (having.has('itemServerFault')) {
    world.faultRules.set('fault', itemServerFault(undefined));
  }
  return world;
}

function itemServerFault(times: number | undefined): FaultRule {
  const everywhere = { platformId: undefined, appId: undefined, page: undefined };
  return { failure: { kind: 'eresult', code: 55 }, ...everywhere, times, seen: new Map() };
}

function requestWith(having: ReadonlySet<Trouble>) {
  return inventoryRequest({
    platformId: having.has('noAccount') ? '99900000000000000' : platformId,
    count: having.has('countTooBig') ? 2_001 : 2_000,
    appId: having.has('unknownApp') ? 999_999 : 730,
  });
}

describe('the order of checks (upstream 5)', () => {
  it('responds with the first thing that is wrong, whatever else is wrong too', () => {
    fc.assert(
      fc.property(fc.subarray(troubles.map(({ name }) => name)), (names) => {
        const having = new Set<Trouble>(names);
        const expected = troubles.find(({ name }) => having.has(name));

        const response = answer(requestWith(having), worldWith(having));

        expect(response.status).toBe(expected?.status ?? 200);
        if (expected !== undefined) {
          expect(String(response.body)).toBe(expected.body);
        }
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('does not spend a fault plan on requests that never come that far', () => {
    const world = worldWith(new Set());
    world.faultRules.set('once', itemServerFault(1));

    const throttled = answer(inventoryRequest({ platformId, count: 3_000 }), world);
    const struck = answer(inventoryRequest({ platformId }), world);
    const passed = answer(inventoryRequest({ platformId }), world);

    expect([throttled.status, struck.status, passed.status]).toEqual([400, 500, 200]);
  });
});
