import { createEgressQueue } from './egress-queue.ts';

const forever = new AbortController().signal;

it('live pages go before scans, and yet a waiting scan gets every fifth turn', async () => {
  const queue = createEgressQueue<number>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
  const served: string[] = [];
  const wait = (accountId: string, live: boolean) =>
    void queue.wait({ accountId, deadlineMs: live ? null : 1_000, avoid: [] }, forever).then(() => {
      served.push(live ? 'live' : 'scan');
    });
  for (let claim = 0; claim < 3; claim += 1) wait('scans', false);
  for (let claim = 0; claim < 20; claim += 1) wait(`account-${claim}`, true);

  for (let turn = 0; turn < 15; turn += 1) {
    queue.pick('egress-1', false)?.serve(turn);
    await Promise.resolve();
  }

  const four = Array(4).fill('live');
  expect(served).toEqual([...four, 'scan', ...four, 'scan', ...four, 'scan']);
});

it('without a waiting scan every turn is a live page', async () => {
  const queue = createEgressQueue<number>(() => ({ urgentUntilMs: null, liveShare: 0.05 }));
  const turns = Array.from({ length: 12 }, () =>
    queue.wait({ accountId: 'a', deadlineMs: null, avoid: [] }, forever),
  );

  for (let turn = 0; turn < 12; turn += 1) queue.pick('egress-1', false)?.serve(turn);

  expect(await Promise.all(turns)).toHaveLength(12);
});
