import { createSlotOrder, type SlotRequest, type SlotRules } from './slot-order.domain.ts';

const calm: SlotRules = { urgentUntilMs: null, liveShare: 0.05 };

let order = 0;
const request = (accountId: string, deadlineMs: number | null): SlotRequest => {
  order += 1;
  return { accountId, deadlineMs, avoid: [], order };
};

/** Which request gets each of the next slots, while every one of them waits again. */
function slots(requests: readonly SlotRequest[], rules: SlotRules, count: number): SlotRequest[] {
  const slotOrder = createSlotOrder();
  return Array.from({ length: count }, () => {
    const next = slotOrder.next(requests, rules);
    if (!next) throw new Error('no request');
    const isLive = next.deadlineMs === null;
    slotOrder.served(
      next,
      requests.some(({ deadlineMs }) => (deadlineMs === null) !== isLive),
    );
    return next;
  });
}

const liveIn = (served: readonly SlotRequest[]) =>
  served.filter(({ deadlineMs }) => deadlineMs === null).length;

describe('the order of slots', () => {
  it('serves accounts in turns, and the earliest deadline of each', () => {
    const requests = [request('a', 30), request('a', 20), request('b', 40)];

    const served = slots(requests, calm, 4);

    expect(served.map(({ deadlineMs }) => deadlineMs)).toEqual([20, 40, 20, 40]);
  });

  it('serves urgent scans by deadline before all turns (Refresh: Deadlines) [deadlines]', () => {
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

  it('serves live pages of accounts in turns, and in the order of their requests', () => {
    const [first, second, other] = [request('a', null), request('a', null), request('b', null)];

    expect(slots([second, first, other], calm, 3)).toEqual([first, other, first]);
  });

  it('has nothing to serve without a request', () => {
    expect(createSlotOrder().next([], calm)).toBeUndefined();
  });
});
