import { readStoreTime } from '@inventory/mongo/connect';
import { newAccountId } from '@inventory/testkit/builders';
import { createRunningClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { senderOf } from './support/billing-commands.ts';
import { type LedgerStage, openStage } from './support/running-ledger.ts';

let stage: LedgerStage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const dayMs = 86_400_000;
const commits = () => stage.db.collection<{ atMs: number }>('commits');

describe('A replica whose clock differs from MongoDB', () => {
  test('writes nothing, is not ready, and answers every command once its clock is set', async () => {
    const clock = createRunningClock();
    clock.advance(dayMs);
    const config = { clockOffsetMaxMs: 60_000 };
    const ledger = await stage.startReplica({ clock, config });
    const account = senderOf(newAccountId());
    const commands = [account.grant(300), account.reserve(), account.reserve(), account.reserve()];
    await stage.bus.publish(commands);

    const problems = await waitFor('the replica is not ready', async () => {
      const { status, problems: found } = await ledger.readiness();
      // The consumer joins its group in its own time.
      return status === 503 && found.length === 1 && found;
    });
    expect(problems).toEqual([expect.stringMatching(/^clock is \d+ ms ahead of MongoDB's$/)]);
    expect(await commits().countDocuments()).toBe(0);

    clock.advance(-dayMs);
    const outcomes = await stage.send(...commands);
    expect(outcomes.map(({ result }) => result)).toEqual([
      'applied',
      'applied',
      'applied',
      'refused',
    ]);
    expect((await ledger.readiness()).status).toBe(200);
  });
});

test('a burst of commands has the times of the clock, in the order of their positions (invariant 9)', async () => {
  const ledger = await stage.startReplica();
  const account = senderOf(newAccountId());
  const burst = Array.from({ length: 3_000 }, () => account.grant(1));

  await stage.send(...burst);

  const rows = await ledger.statement(account.accountId, 1_000);
  const times = rows.map(({ atMs }) => atMs);
  expect(times).toHaveLength(burst.length);
  expect(times).toEqual(times.toSorted((left, right) => left - right));
  const [newest] = await commits().find().sort({ _id: -1 }).limit(1).toArray();
  expect(newest?.atMs).toBeLessThanOrEqual((await readStoreTime(stage.db)) + 1_000);
});
