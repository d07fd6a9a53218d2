import { createLogger } from '@inventory/runtime/logger';
import { createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { createPlanLead } from './plan-lead.ts';
import type { PlanStore } from './plan-store.ts';
import { noPlan, type PublishedPlan } from './published-plan.domain.ts';

const leaseMs = 5_000;

/** One document for all replicas, with the conditions of the real store. */
function createPlans(clock: TestClock) {
  let stored: { owner: string; leaseUntilMs: number; plan: PublishedPlan } | null = null;
  const calls = { lead: 0, read: 0 };
  const openFor = (owner: string): PlanStore => ({
    async lead(plan) {
      calls.lead += 1;
      if (stored && stored.owner !== owner && stored.leaseUntilMs > clock.now()) return false;
      stored = { owner, leaseUntilMs: clock.now() + leaseMs, plan };
      return true;
    },
    async read() {
      calls.read += 1;
      return stored && { plan: stored.plan, isLed: stored.leaseUntilMs > clock.now() };
    },
    async leave() {
      if (stored?.owner === owner) stored = { ...stored, leaseUntilMs: 0 };
    },
  });
  return { openFor, calls };
}

function twoReplicas() {
  const clock = createTestClock();
  const { openFor, calls } = createPlans(clock);
  const open = (name: string) => {
    const plans = openFor(name);
    const lead = createPlanLead({
      plans,
      replicas: {
        announce: () => Promise.resolve(),
        all: () => Promise.resolve({ count: 2, livePagesPerMinute: 9 }),
        leave: () => Promise.resolve(),
      },
      name,
      clock,
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    return { lead, plans };
  };
  return { clock, calls, one: open('one'), other: open('other') };
}

describe('the planning replica', () => {
  it('is the first that agrees; the other one reads its plan (Refresh: one replica plans for all)', async () => {
    const { clock, one, other } = twoReplicas();

    expect([await one.lead.agree(), await other.lead.agree()]).toEqual([true, false]);
    one.lead.plan = { ...noPlan, pagesWaiting: 7 };
    clock.advance(1_000);
    expect([await one.lead.agree(), await other.lead.agree()]).toEqual([false, false]);

    expect([one.lead.isLeading, other.lead.isLeading]).toEqual([true, false]);
    expect(other.lead.plan.pagesWaiting).toBe(7);
    expect(one.lead.replicas).toEqual({ count: 2, livePagesPerMinute: 9 });
  });

  it('agrees once a second, however often it is asked', async () => {
    const { clock, calls, one, other } = twoReplicas();

    for (let round = 0; round < 40; round += 1) {
      await one.lead.agree();
      await other.lead.agree();
      clock.advance(250);
    }

    expect(calls).toEqual({ lead: 10, read: 11 });
  });

  it('is replaced once its lead expired, and finds that out before it plans again', async () => {
    const { clock, one, other } = twoReplicas();
    await one.lead.agree();
    await other.lead.agree();

    clock.advance(leaseMs - 1);
    expect(await other.lead.agree()).toBe(false);
    clock.advance(1_000);
    expect(await other.lead.agree()).toBe(true);
    expect(await one.lead.agree()).toBe(false);

    expect([one.lead.isLeading, other.lead.isLeading]).toEqual([false, true]);
  });

  it('leaves the lead to the other one when it stops', async () => {
    const { clock, one, other } = twoReplicas();
    await one.lead.agree();
    await one.plans.leave();

    clock.advance(1_000);

    expect(await other.lead.agree()).toBe(true);
  });
});
