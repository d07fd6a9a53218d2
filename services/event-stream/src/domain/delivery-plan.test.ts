import type { AccountId, WebhookEndpointId } from '@inventory/contracts/ids';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  concurrencyAt,
  type EndpointLoad,
  latencyClassOf,
  type PlanLimits,
  planDeliveries,
  type Running,
} from './delivery-plan.ts';

const accountOf = (number: number): AccountId =>
  `acc_01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const endpointOf = (number: number): WebhookEndpointId =>
  `whe_01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;

const limits: PlanLimits = { requestsMax: 16, requestsPerAccountMax: 6, slowFromMs: 1_000 };
const latency = fc.option(fc.constantFrom(5, 400, 999, 1_000, 2_500, 14_000), { nil: null });
const load = fc
  .record({
    account: fc.nat(4),
    running: fc.nat(3),
    requestsMax: fc.integer({ min: 1, max: 4 }),
    latencyMs: latency,
  })
  .map(({ account, ...one }) => ({ ...one, accountId: accountOf(account) }));
const loads = fc
  .array(load, { maxLength: 30 })
  .map((all) => all.map((one, index): EndpointLoad => ({ ...one, endpointId: endpointOf(index) })));
const others = fc.array(
  fc.record({ accountId: fc.nat(4).map(accountOf), latencyMs: latency, running: fc.nat(2) }),
  { maxLength: 4 },
);

type Plan = typeof planDeliveries;
type Totals = { total: number; slow: number; unproven: number; accounts: Map<AccountId, number> };

function totalsOf(all: readonly Running[]): Totals {
  const totals: Totals = { total: 0, slow: 0, unproven: 0, accounts: new Map() };
  for (const { accountId, latencyMs, running } of all) {
    const kind = latencyClassOf(latencyMs, limits.slowFromMs);
    totals.total += running;
    if (kind === 'slow') totals.slow += running;
    if (kind !== 'fast') totals.unproven += running;
    totals.accounts.set(accountId, (totals.accounts.get(accountId) ?? 0) + running);
  }
  return totals;
}

const sum = (plan: ReadonlyMap<unknown, number>) => [...plan.values()].reduce((a, b) => a + b, 0);

/** Throws when a plan breaks a limit, leaves a free slot unused, or prefers a busier account. */
function check(plan: Plan, ready: readonly EndpointLoad[], rest: readonly Running[]): void {
  const planned = plan(ready, rest, limits);
  const after = ready.map((one) => ({
    ...one,
    running: one.running + (planned.get(one.endpointId) ?? 0),
  }));
  const before = totalsOf([...ready, ...rest]);
  const totals = totalsOf([...after, ...rest]);
  const within = (now: number, was: number, max: number) =>
    expect(now).toBeLessThanOrEqual(Math.max(was, max));
  within(totals.total, before.total, 16);
  within(totals.slow, before.slow, 8);
  within(totals.unproven, before.unproven, 12);
  for (const [id, count] of totals.accounts) within(count, before.accounts.get(id) ?? 0, 6);
  for (const [index, one] of after.entries()) {
    within(one.running, ready[index]?.running ?? 0, concurrencyAt(one, limits.slowFromMs));
  }
  const isFree = (one: EndpointLoad) =>
    latencyClassOf(one.latencyMs, limits.slowFromMs) === 'fast' &&
    one.running < concurrencyAt(one, limits.slowFromMs) &&
    (totals.accounts.get(one.accountId) ?? 0) < 6;
  if (totals.total < 16) expect(after.filter(isFree)).toEqual([]);
  for (const free of after.filter(isFree)) {
    for (const other of after) {
      if (!planned.has(other.endpointId)) continue;
      const [least, most] = [free, other].map((one) => totals.accounts.get(one.accountId) ?? 0);
      expect(most ?? 0).toBeLessThanOrEqual((least ?? 0) + 1);
    }
  }
}

const runs = (plan: Plan) =>
  fc.assert(
    fc.property(loads, others, (ready, rest) => check(plan, ready, rest)),
    { numRuns: propertyRuns(1_000) },
  );

test('a plan keeps every limit, uses every slot that fast endpoints can use, and gives turns by account (Events: webhooks)', () => {
  runs(planDeliveries);
});

/** Plans with one rule broken: the property finds each. */
const faults: Record<string, Plan> = {
  'the limit of all requests is ignored': (ready, rest, given) =>
    planDeliveries(ready, rest, { ...given, requestsMax: given.requestsMax + 2 }),
  'the limit of an account is ignored': (ready, rest, given) =>
    planDeliveries(ready, rest, { ...given, requestsPerAccountMax: 100 }),
  'slow endpoints count as fast': (ready, rest, given) =>
    planDeliveries(ready, rest, { ...given, slowFromMs: 100_000 }),
  'requests of other endpoints are not counted': (ready, _rest, given) =>
    planDeliveries(ready, [], given),
  'the first endpoint takes every slot': (ready, rest, given) => {
    const [first] = [...planDeliveries(ready, rest, given)];
    return new Map(first ? [[first[0], sum(planDeliveries(ready, rest, given))]] : []);
  },
  'nothing is planned': () => new Map(),
};

test.each(Object.keys(faults))('the property finds a plan in which %s', (fault) => {
  expect(() => runs(faults[fault] as Plan)).toThrow();
});

test('concurrency falls as latency rises (Events: webhooks)', () => {
  const at = (latencyMs: number | null) => concurrencyAt({ latencyMs, requestsMax: 4 }, 1_000);

  expect([10, 999, 1_000, 2_000, 4_000, 14_000, null].map(at)).toEqual([4, 4, 4, 2, 1, 1, 1]);
});
