import { createLogger } from '@inventory/runtime/logger';
import { createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { noPlan } from '../refreshes/published-plan.domain.ts';
import type { PlanStore, Publication } from './plan-store.ts';
import { createPlannerLease } from './planner-lease.ts';

const leaseMs = 5_000;

/** One document for all replicas, with the conditions of the real store. */
function createPlans(clock: TestClock) {
  let stored: { owner: string; leaseUntilMs: number; published: Publication } | null = null;
  const calls = { published: 0, read: 0 };
  const openFor = (owner: string): PlanStore => ({
    async publishPlan(published) {
      calls.published += 1;
      if (stored && stored.owner !== owner && stored.leaseUntilMs > clock.now()) return false;
      stored = { owner, leaseUntilMs: clock.now() + leaseMs, published };
      return true;
    },
    async readPlan() {
      calls.read += 1;
      return stored && { ...stored.published, isLeased: stored.leaseUntilMs > clock.now() };
    },
    async releasePlannerLease() {
      if (stored?.owner === owner) stored = { ...stored, leaseUntilMs: 0 };
    },
  });
  return { openFor, calls };
}

function twoReplicas() {
  const clock = createTestClock();
  const { openFor, calls } = createPlans(clock);
  const open = (replica: string) => {
    const plans = openFor(replica);
    const lease = createPlannerLease({
      plans,
      replicas: {
        announceReplica: () => Promise.resolve(),
        countReplicas: () => Promise.resolve({ count: 2, livePagesPerMinute: 9 }),
        removeReplica: () => Promise.resolve(),
      },
      replica,
      clock,
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    return { lease, plans };
  };
  return { clock, calls, one: open('one'), other: open('other') };
}

describe('the planning replica', () => {
  it('is the first that acquires the lease; the other one reads its plan and its survey (Refresh: one replica plans for all)', async () => {
    const { clock, one, other } = twoReplicas();

    expect([await one.lease.renewOrFollow(), await other.lease.renewOrFollow()]).toEqual([
      true,
      false,
    ]);
    one.lease.plan = { ...noPlan, pagesWaiting: 7 };
    one.lease.survey = { open: [], stuck: [], identities: [{ state: 'free', count: 3 }] };
    clock.advance(1_000);
    expect([await one.lease.renewOrFollow(), await other.lease.renewOrFollow()]).toEqual([
      false,
      false,
    ]);

    expect([one.lease.isHeld, other.lease.isHeld]).toEqual([true, false]);
    expect(other.lease.plan.pagesWaiting).toBe(7);
    expect(other.lease.survey).toEqual(one.lease.survey);
    expect(one.lease.replicas).toEqual({ count: 2, livePagesPerMinute: 9 });
  });

  it('renews its lease once a second, however often it runs', async () => {
    const { clock, calls, one, other } = twoReplicas();

    for (let run = 0; run < 40; run += 1) {
      await one.lease.renewOrFollow();
      await other.lease.renewOrFollow();
      clock.advance(250);
    }

    expect(calls).toEqual({ published: 10, read: 11 });
  });

  it('is replaced once its lease expired, and reads that before it plans again', async () => {
    const { clock, one, other } = twoReplicas();
    await one.lease.renewOrFollow();
    await other.lease.renewOrFollow();

    clock.advance(leaseMs - 1);
    expect(await other.lease.renewOrFollow()).toBe(false);
    clock.advance(1_000);
    expect(await other.lease.renewOrFollow()).toBe(true);
    expect(await one.lease.renewOrFollow()).toBe(false);

    expect([one.lease.isHeld, other.lease.isHeld]).toEqual([false, true]);
  });

  it('releases the lease to the other one when it stops', async () => {
    const { clock, one, other } = twoReplicas();
    await one.lease.renewOrFollow();
    await one.plans.releasePlannerLease();

    clock.advance(1_000);

    expect(await other.lease.renewOrFollow()).toBe(true);
  });
});
