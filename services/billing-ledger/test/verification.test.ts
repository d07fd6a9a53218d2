import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newAccountId, newRequestId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Document } from 'mongodb';
import { type Sender, senderOf } from './support/billing-commands.ts';
import { type LedgerStage, openStage, type RunningLedger } from './support/running-ledger.ts';

let stage: LedgerStage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const dayMs = 86_400_000;
const newKey = () => randomBytes(32).toString('base64url');
const keys = [newKey()];
const withKeys = {
  checkpointKeys: keys,
  snapshots: { everyEntries: 1, passIntervalMs: 100 },
  verifyIntervalMs: 0,
};
const startMs = Date.UTC(2026, 9, 5, 12);
const of = (name: string) => stage.db.collection<Document & { _id: string }>(name);

/** Some entries on each of some days, rolled up to their end. */
async function liveThrough(
  ledger: RunningLedger,
  clock: ReturnType<typeof createTestClock>,
  account: Sender,
  days: number,
): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    const outcomes = await stage.send(account.grant(10), account.charge(newRequestId()));
    await waitFor('the day is rolled up', async () => {
      const position = await of('usagePositions').findOne({ _id: account.accountId });
      return position?.['throughSeq'] === outcomes.at(-1)?.seq;
    });
    clock.advance(dayMs);
  }
  expect((await ledger.readiness()).status).toBe(200);
}

/** The service's own program, as the image has it. */
async function runVerifyTask(...flags: readonly string[]) {
  const program = join(__dirname, '../dist/main.js');
  const database = stage.db.databaseName;
  const environment = {
    KAFKA_BROKERS: stage.namespace.kafkaBrokers.join(),
    MONGODB_URI: stage.namespace.mongodbUri,
    MONGODB_DATABASE: database,
    HTTP_PORT: '1',
    CHECKPOINT_KEYS: keys.join(),
  };
  const run = promisify(execFile)(process.execPath, [program, '--verify', ...flags], {
    env: environment,
  });
  return run.then(
    ({ stdout }) => ({ exitCode: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ exitCode: error.code, stdout: error.stdout }),
  );
}

describe('A verification from checkpoints', () => {
  test('reads what was added since the last complete day, and is full on request', async () => {
    const clock = createTestClock(startMs);
    const ledger = await stage.startReplica({ clock, config: withKeys });
    const account = senderOf(newAccountId());
    await liveThrough(ledger, clock, account, 3);

    const first = await ledger.verify('continue');
    await liveThrough(ledger, clock, account, 1);
    const second = await ledger.verify('continue');
    const full = await ledger.verify('full');

    expect([first, second, full].map(({ ok, mode, entries }) => [ok, mode, entries])).toEqual([
      [true, 'full', 6],
      [true, 'continue', 4],
      [true, 'full', 8],
    ]);
    expect(await of('checkpoints').findOne({ _id: account.accountId })).toMatchObject({
      lastSeq: 6,
    });
  });

  test('does not believe a checkpoint that was changed, nor one signed with another key', async () => {
    const clock = createTestClock(startMs);
    const ledger = await stage.startReplica({ clock, config: withKeys });
    const account = senderOf(newAccountId());
    await liveThrough(ledger, clock, account, 2);
    expect((await ledger.verify()).problems).toEqual([]);
    const { accountId } = account;
    const invalid = { account_id: accountId, seq: null, problem: 'checkpoint signature invalid' };

    await of('checkpoints').updateOne({ _id: accountId }, { $set: { 'credits.available': 1_000 } });
    await stage.send(account.grant(1));
    const changed = await ledger.verify('continue');
    await ledger.stop();
    const config = { ...withKeys, checkpointKeys: [newKey()] };
    const other = await stage.startReplica({ clock, config });
    const foreign = await other.verify('continue');

    // Such an account is verified from its start.
    expect([changed.problems, changed.entries]).toEqual([[invalid], 5]);
    expect([foreign.problems, foreign.entries]).toEqual([[invalid], 5]);
  });

  test('runs in a process of its own, which fails where the journal was changed', async () => {
    const ledger = await stage.startReplica();
    const account = senderOf(newAccountId());
    await stage.send(account.grant(10), account.charge(newRequestId()));

    const sound = await runVerifyTask('--full');
    await of('commits').updateOne({ accountId: account.accountId }, { $set: { note: 'added' } });
    const changed = await runVerifyTask();

    expect([sound.exitCode, changed.exitCode]).toEqual([0, 1]);
    expect(sound.stdout).toContain('journal verification passed');
    expect(changed.stdout).toContain('journal verification failed');
    expect(changed.stdout).toContain(account.accountId);
    const record = await of('verifications').findOne({ _id: 'last' });
    expect(record).toMatchObject({ problemAccounts: [account.accountId] });
    await ledger.stop();
  });

  test('is made by one of two replicas, when the last one is older than the interval', async () => {
    const config = { verifyIntervalMs: 2_000 };
    await Promise.all([stage.startReplica({ config }), stage.startReplica({ config })]);
    const finished = new Set<string>();

    await waitFor('three verifications have finished', async () => {
      const last = await of('verifications').findOne({ _id: 'last' });
      if (last)
        finished.add(`${last['startedAt'].toISOString()} ${last['finishedAt'].toISOString()}`);
      return finished.size >= 3;
    });

    const times = [...finished].map((span) => span.split(' '));
    for (const [index, [startedAt = '']] of times.entries()) {
      const [, endedBefore = ''] = times[index - 1] ?? [];
      expect(startedAt >= endedBefore).toBe(true);
    }
  });
});
