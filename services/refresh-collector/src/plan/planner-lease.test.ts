import type { Clock } from '@inventory/runtime/clock';
import { createLogger } from '@inventory/runtime/logger';
import { createMemoryLeases } from '@inventory/testkit/memory-leases';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { PlanDocument, PlanStore } from './plan-store.ts';
import { createPlannerLease } from './planner-lease.ts';
import { isCurrent, noPlan } from './published-plan.domain.ts';

const leaseMs = 5_000;

function twoReplicas(aheadMs = 0) {
  const clock = createTestClock();
  const leases = createMemoryLeases<PlanDocument>(clock, leaseMs, 'kept');
  const calls = { acquired: 0, renewed: 0, read: 0 };
  const plans: PlanStore = {
    leases: {
      ...leases,
      acquire(...given) {
        calls.acquired += 1;
        return leases.acquire(...given);
      },
      renew(...given) {
        calls.renewed += 1;
        return leases.renew(...given);
      },
    },
    async readPlan() {
      calls.read += 1;
      const stored = leases.documents.get('plan');
      if (!stored) return null;
      const { _id, lease: _lease, survey, ...plan } = stored;
      return { plan, survey };
    },
  };
  const open = (replica: string, clock: Clock) =>
    createPlannerLease(
      plans,
      only({ countReplicas: () => Promise.resolve({ count: 2, livePagesPerMinute: 9 }) }),
      replica,
      clock,
      createLogger({ service: 'test', level: 'silent' }),
    );
  /** Far from the clock of the first, and as fast. */
  const otherClock = { now: () => clock.now() - aheadMs };
  return { clock, otherClock, calls, one: open('one', clock), other: open('other', otherClock) };
}

describe('the planning replica', () => {
  it('is the first that acquires the lease; the other one reads its plan and its survey (Refresh: one replica plans for all)', async () => {
    const { clock, one, other } = twoReplicas();

    expect([await one.renewOrFollow(), await other.renewOrFollow()]).toEqual([true, false]);
    one.plan = { ...noPlan, pagesWaiting: 7 };
    one.survey = { open: [], stuck: [], identities: [{ state: 'free', count: 3 }] };
    clock.advance(1_000);
    expect([await one.renewOrFollow(), await other.renewOrFollow()]).toEqual([false, false]);

    expect([one.isHeld, other.isHeld]).toEqual([true, false]);
    expect(other.plan.pagesWaiting).toBe(7);
    expect(other.survey).toEqual(one.survey);
    expect(one.replicas).toEqual({ count: 2, livePagesPerMinute: 9 });
  });

  it.each([86_400_000, -86_400_000])(
    'is followed by a replica whose clock is %d ms behind: its plan is as old as it is known there',
    async (aheadMs) => {
      const { clock, otherClock, one, other } = twoReplicas(aheadMs);
      const publish = async (pagesWaiting: number) => {
        const servesFromMs = clock.now() + 45_000;
        one.plan = { ...noPlan, atMs: clock.now(), servesFromMs, pagesWaiting };
        await one.renewOrFollow();
        await other.renewOrFollow();
        clock.advance(1_000);
      };
      await publish(0);
      await publish(1);
      await publish(2);

      expect(other.plan.pagesWaiting).toBe(2);
      expect(isCurrent(other.plan, otherClock.now())).toBe(true);
      expect(other.plan.servesFromMs - other.plan.atMs).toBe(45_000);
      clock.advance(31_000);
      await other.renewOrFollow();
      expect(isCurrent(other.plan, otherClock.now())).toBe(false);
    },
  );

  it('renews its lease once a second, however often it runs', async () => {
    const { clock, calls, one, other } = twoReplicas();

    for (let run = 0; run < 40; run += 1) {
      await one.renewOrFollow();
      await other.renewOrFollow();
      clock.advance(250);
    }

    expect(calls).toEqual({ acquired: 11, renewed: 9, read: 11 });
  });

  it('renews its lease also after its clock was set back by a day', async () => {
    const { clock, calls, one } = twoReplicas();
    await one.renewOrFollow();

    clock.advance(-86_400_000);
    await one.renewOrFollow();

    expect(calls.renewed).toBe(1);
  });

  it('is replaced once its lease expired, and reads that before it plans again', async () => {
    const { clock, one, other } = twoReplicas();
    await one.renewOrFollow();
    await other.renewOrFollow();

    clock.advance(leaseMs - 1);
    expect(await other.renewOrFollow()).toBe(false);
    clock.advance(1_000);
    expect(await other.renewOrFollow()).toBe(true);
    expect(await one.renewOrFollow()).toBe(false);

    expect([one.isHeld, other.isHeld]).toEqual([false, true]);
  });

  it('releases the lease to the other one when it stops', async () => {
    const { clock, one, other } = twoReplicas();
    await one.renewOrFollow();
    await one.release();

    clock.advance(1_000);

    expect(await other.renewOrFollow()).toBe(true);
  });
});
