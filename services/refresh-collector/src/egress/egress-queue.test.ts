import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createEgressQueue } from './egress-queue.ts';

const forever = new AbortController().signal;
const none = { inventory: 'i', avoid: [], unreachable: [] };
const spare = {
  identityId: 'egress-1',
  active: ['egress-1', 'egress-2'],
  ...{ reads: [], claims: [], wasOwn: false },
  liveCredit: 0,
  canWait: false,
};

it('live pages go before scans, and yet a waiting scan gets every fifth slot', async () => {
  let liveCredit = 0;
  const queue = createEgressQueue<number>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
  const served: string[] = [];
  const wait = (accountId: string, live: boolean) =>
    void queue.wait({ accountId, deadlineMs: live ? null : 1_000, ...none }, forever).then(() => {
      served.push(live ? 'live' : 'scan');
    });
  for (let claim = 0; claim < 3; claim += 1) wait('scans', false);
  for (let claim = 0; claim < 20; claim += 1) wait(`account-${claim}`, true);

  for (let slot = 0; slot < 15; slot += 1) {
    const taken = queue.takeNext({ ...spare, liveCredit });
    taken?.serve(slot);
    liveCredit = taken?.liveCredit ?? 0;
    await Promise.resolve();
  }

  const four = Array(4).fill('live');
  const last = ['live', 'live', 'live'];
  expect(served).toEqual(['live', 'scan', ...four, 'scan', ...four, 'scan', ...last]);
});

it('without a waiting scan every slot is a live page', async () => {
  const queue = createEgressQueue<number>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
  const slots = Array.from({ length: 12 }, () =>
    queue.wait({ accountId: 'a', deadlineMs: null, ...none }, forever),
  );

  for (let slot = 0; slot < 12; slot += 1) queue.takeNext(spare)?.serve(slot);

  expect(await Promise.all(slots)).toHaveLength(12);
});

it('no request is served by an identity that it avoids', async () => {
  const queue = createEgressQueue<string>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
  const request = { accountId: 'a', deadlineMs: 1_000, ...none, avoid: ['egress-1'] };
  const slot = queue.wait(request, forever);

  expect(queue.takeNext(spare)).toBeUndefined();
  queue.takeNext({ ...spare, identityId: 'egress-2' })?.serve('egress-2');

  expect(await slot).toBe('egress-2');
});

it('a slot that can wait is left to urgent scans, of other replicas too', () => {
  const queue = createEgressQueue<string>(() => ({ urgentUntilMs: 1_000, liveShare: 0.05 }));
  const request = { accountId: 'a', deadlineMs: 1_001, ...none };
  void queue.wait(request, forever);

  expect(queue.takeNext({ ...spare, canWait: true })).toBeUndefined();
  expect(queue.takeNext(spare)).toBeDefined();
  void queue.wait({ ...request, deadlineMs: 1_000 }, forever);
  expect(queue.takeNext({ ...spare, canWait: true })).toBeDefined();
});

it('a request that was given up takes no slot', async () => {
  const queue = createEgressQueue<string>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
  const given = new AbortController();
  const slot = queue.wait({ accountId: 'a', deadlineMs: 1_000, ...none }, given.signal);
  const picked = queue.takeNext(spare);

  given.abort();

  expect(await slot).toBeUndefined();
  expect(picked?.serve('egress-1')).toBe(false);
  picked?.requeue();
  expect(queue.size).toBe(0);
});

const wanted = fc.record({
  accountId: fc.constantFrom('a', 'b'),
  page: fc.constantFrom('p', 'q', undefined),
  avoid: fc.constantFrom<string[]>([], ['egress-1']),
  respondByMs: fc.integer({ min: 1, max: 9 }),
});

it('a slot is of all that wait for the page of the request that got it and may use its identity, the one with the most time first (upstream 6.17)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 12 }), async (requests) => {
      const queue = createEgressQueue<string>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
      const served: number[] = [];
      requests.forEach(({ page, ...request }, at) => {
        const shared = page === undefined ? {} : { page };
        void queue
          .wait({ ...none, deadlineMs: null, ...request, ...shared }, forever)
          .then(() => served.push(at));
      });

      const taken = queue.takeNext(spare)?.serve('egress-1') ?? false;
      await Promise.resolve();

      const first = requests.find(({ avoid }) => avoid.length === 0);
      const expected = requests.flatMap(({ page, avoid }, at) => {
        const isShared = page !== undefined && page === first?.page;
        return avoid.length === 0 && (isShared || requests[at] === first) ? at : [];
      });
      const timeOf = (at: number) => requests[at]?.respondByMs ?? 0;
      expect(taken).toBe(first !== undefined);
      expect(served.toSorted((one, other) => one - other)).toEqual(expected);
      expect(served.map(timeOf)).toEqual(served.map(timeOf).toSorted((one, other) => other - one));
      expect(queue.size).toBe(requests.length - expected.length);
    }),
    { numRuns: propertyRuns(200) },
  );
});
