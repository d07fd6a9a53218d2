import { answer } from '../platform/answer.ts';
import { sizePlatformId } from '../platform-ids.ts';
import { inventoryRequest, unlimitedWorld } from '../testing/ask-platform.ts';

test('a page of 2,000 assets costs less than 10 ms of processor time once its descriptions are written', () => {
  const world = unlimitedWorld();
  const request = inventoryRequest({ platformId: sizePlatformId(2_000) });
  const timesMs = Array.from({ length: 60 }, () => {
    const before = process.threadCpuUsage();
    answer(request, world);
    const spent = process.threadCpuUsage(before);
    return (spent.user + spent.system) / 1_000;
  }).sort((a, b) => a - b);

  expect(timesMs[30]).toBeLessThan(10);
});
