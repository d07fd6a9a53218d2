import {
  claimOf,
  createSlotOrder,
  type FreeSlot,
  type SlotRules,
  type WaitingRequest,
} from './slot-order.domain.ts';

const calm: SlotRules = { urgentUntilMs: null, liveShare: 0.05 };

let order = 0;
const request = (accountId: string, deadlineMs: number | null): WaitingRequest => {
  order += 1;
  return { accountId, inventory: `${order}`, deadlineMs, avoid: [], unreachable: [], order };
};

const free: FreeSlot = {
  ...{ identityId: 'a', active: ['a', 'b'], reads: [] },
  ...{ liveCredit: 0, canWait: false, claims: [], wasOwn: false },
};

/** Which request gets each of the next slots, while every one of them waits again. */
function slots(
  requests: readonly WaitingRequest[],
  rules: SlotRules,
  count: number,
): WaitingRequest[] {
  const slotOrder = createSlotOrder();
  let { liveCredit } = free;
  return Array.from({ length: count }, () => {
    const grant = slotOrder.next(requests, rules, { ...free, liveCredit });
    if (!grant) throw new Error('no request');
    slotOrder.served(grant.request);
    liveCredit = grant.liveCredit;
    return grant.request;
  });
}

const liveIn = (served: readonly WaitingRequest[]) =>
  served.filter(({ deadlineMs }) => deadlineMs === null).length;

describe('the order of slots', () => {
  it('serves accounts round-robin, and the earliest deadline of each', () => {
    const requests = [request('a', 30), request('a', 20), request('b', 40)];

    const served = slots(requests, calm, 4);

    expect(served.map(({ deadlineMs }) => deadlineMs)).toEqual([20, 40, 20, 40]);
  });

  it('serves urgent scans by deadline before all others (Refresh: Deadlines) [deadlines]', () => {
    const requests = [request('a', 20), request('a', 10), request('b', 30)];

    const served = slots(requests, { ...calm, urgentUntilMs: 20 }, 3);

    expect(served.map(({ deadlineMs }) => deadlineMs)).toEqual([10, 10, 10]);
  });

  it('serves live pages first, and yet leaves every fifth slot to scans that wait', () => {
    const served = slots([request('a', 10), request('live', null)], calm, 100);

    expect(liveIn(served)).toBe(80);
  });

  it('keeps the live share for live pages while scans are urgent', () => {
    const rules = { urgentUntilMs: 10, liveShare: 0.3 };

    const served = slots([request('a', 10), request('live', null)], rules, 100);

    expect(liveIn(served)).toBeGreaterThanOrEqual(29);
    expect(liveIn(served)).toBeLessThanOrEqual(31);
  });

  it('leaves a slot that can wait to urgent scans that request it in a moment or on another replica, once live pages had their part (Refresh: Deadlines) [deadlines]', () => {
    const rules = { urgentUntilMs: 10, liveShare: 0.4 };
    const slotOrder = createSlotOrder();
    const next = (liveCredit: number, canWait: boolean) =>
      slotOrder.next([request('live', null)], rules, { ...free, liveCredit, canWait });

    expect(next(0, true)?.liveCredit).toBeCloseTo(-0.6);
    expect(next(-0.6, true)).toBeUndefined();
    expect(next(-0.6, false)?.liveCredit).toBe(-0.6);
  });

  it('owes live pages one slot at most, however long scans alone use the identity', () => {
    const slotOrder = createSlotOrder();
    let liveCredit = -1;
    for (let slot = 0; slot < 20; slot += 1) {
      const grant = slotOrder.next([request('a', 10)], calm, { ...free, liveCredit });
      liveCredit = grant?.liveCredit ?? 0;
    }
    expect(liveCredit).toBe(1);
  });

  it('costs live pages nothing where no scan waits', () => {
    const grant = createSlotOrder().next([request('live', null)], calm, {
      ...free,
      liveCredit: -1,
    });
    expect(grant?.liveCredit).toBe(-1);
  });

  it('uses an identity that made no connection again only where every other one is paused', () => {
    const slotOrder = createSlotOrder();
    const avoiding = { ...request('a', 10), avoid: ['a'] };
    const next = (unreachable: string[], active: string[]) =>
      slotOrder.next([{ ...avoiding, unreachable }], calm, { ...free, active });

    expect(next(['a'], ['a', 'b'])).toBeUndefined();
    expect(next(['a'], ['a'])).toBeDefined();
    expect(next([], ['a'])).toBeUndefined();
  });

  it('serves live pages of accounts round-robin, and in the order of their requests', () => {
    const [first, second, other] = [request('a', null), request('a', null), request('b', null)];

    expect(slots([second, first, other], calm, 3)).toEqual([first, other, first]);
  });

  it('has nothing to serve without a request', () => {
    expect(createSlotOrder().next([], calm, free)).toBeUndefined();
  });

  it('leaves an inventory that is read to one reader: a live page waits for any read of it, a scan for live pages (upstream 6.17)', () => {
    const [live, scan, other] = [request('a', null), request('b', 10), request('c', 20)];
    const order = createSlotOrder();
    const nextBeside = (inventory: string, isLive: boolean) => {
      const slot = { ...free, reads: [{ inventory, isLive }] };
      return order.next([live, scan, other], calm, slot)?.request;
    };
    const alone = (one: WaitingRequest, isLive: boolean) =>
      order.next([one], calm, { ...free, reads: [{ inventory: one.inventory, isLive }] });

    expect(nextBeside(live.inventory, true)).toBe(scan);
    expect(nextBeside(live.inventory, false)).toBe(scan);
    expect(nextBeside(scan.inventory, true)).toBe(live);
    expect([alone(live, true), alone(live, false), alone(scan, true)]).toEqual(
      Array(3).fill(undefined),
    );
    expect(alone(scan, false)?.request).toBe(scan);
  });

  describe('beside claims of other replicas', () => {
    const order = createSlotOrder();
    const [live, early, late] = [request('a', null), request('b', 10), request('c', 20)];
    const scanAt = (deadlineMs: number) => ({ isLive: false, deadlineMs });
    const liveClaim = { isLive: true, deadlineMs: null };
    const nextOf = (requests: readonly WaitingRequest[], slot: Partial<FreeSlot>) =>
      order.next(requests, calm, { ...free, ...slot })?.request;

    it('has the slot where one of its scans, whichever is next, has the earliest deadline', () => {
      order.served(early);

      expect(nextOf([early, late], { claims: [scanAt(15)] })).toBe(late);
      expect(nextOf([early, late], { claims: [scanAt(10)] })).toBe(late);
      expect(nextOf([early, late], { claims: [scanAt(30), scanAt(9)] })).toBeUndefined();
    });

    it('leaves it to a live page for a scan, while live pages are owed one', () => {
      expect(nextOf([early], { claims: [liveClaim] })).toBeUndefined();
      expect(nextOf([early], { claims: [liveClaim], liveCredit: -0.1 })).toBe(early);
    });

    it('leaves it to a live page for a live page, where it had the last one', () => {
      expect(nextOf([live], { claims: [liveClaim], wasOwn: true })).toBeUndefined();
      expect(nextOf([live], { claims: [liveClaim] })).toBe(live);
      expect(nextOf([live], { claims: [scanAt(5)], wasOwn: true })).toBe(live);
    });

    it('counts a scan elsewhere as one that waits: a live page costs its credit, and none is owed below zero', () => {
      const grant = order.next([live], calm, { ...free, claims: [scanAt(5)] });

      expect(grant?.liveCredit).toBeCloseTo(-0.2);
      expect(nextOf([live], { claims: [scanAt(5)], liveCredit: -0.1 })).toBeUndefined();
      expect(nextOf([live], { liveCredit: -0.1 })).toBe(live);
    });

    it('claims for what may use the slot alone', () => {
      const avoiding = { ...request('d', 1), avoid: ['a'] };
      const { inventory } = early;

      expect(claimOf([early, late, avoiding], free)).toEqual(scanAt(10));
      expect(claimOf([live, late], free)).toEqual({ isLive: true, deadlineMs: 20 });
      expect(claimOf([early], { ...free, reads: [{ inventory, isLive: true }] })).toBeNull();
    });
  });
});
