import { connectMongo } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { newProjectId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { standardDeadlines } from '../src/deadlines.ts';
import { createWatchStore, watchIndexes } from '../src/watches/watch-store.ts';
import { watchOf } from './support/watch-of.ts';

const watchCount = 10_000;
const polls = 200;
const nowMs = Date.UTC(2026, 10, 26);

test('10,000 idle watches cost a replica at most 1 % of a core: a poll a second, of at most 10 ms of its CPU (Watches) [watch-runs]', async () => {
  const { mongodbUri: uri, database } = await openNamespace({ topics: false });
  const name = database('watch_idle');
  const mongo = await connectMongo({ uri, database: name, service: 'gateway', logger: testLogger });
  await ensureIndexes(mongo.db, [watchIndexes]);
  const watches = createWatchStore(mongo.db, standardDeadlines, testLogger);
  for (let at = 0; at < watchCount; at += 100) {
    const projectId = newProjectId();
    const some = Array.from({ length: 100 }, (_, index) =>
      watches.insertWatch(watchOf(at + index, projectId, nowMs), 10_000),
    );
    await Promise.all(some);
  }

  const before = process.cpuUsage();
  for (let poll = 0; poll < polls; poll += 1) {
    expect(await watches.queue.findDue(nowMs, 40)).toEqual([]);
  }
  const { user, system } = process.cpuUsage(before);
  await mongo.close();

  const msPerPoll = (user + system) / 1_000 / polls;
  process.stdout.write(`${msPerPoll.toFixed(2)} ms of CPU a poll\n`);
  expect(msPerPoll).toBeLessThanOrEqual(10);
});
