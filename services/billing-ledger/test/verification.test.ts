import { newAccountId, newRequestId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Document } from 'mongodb';
import { senderOf } from './support/billing-commands.ts';
import { runOwnProgram } from './support/run-own-program.ts';
import { type LedgerStage, openStage } from './support/running-ledger.ts';

let stage: LedgerStage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const of = (name: string) => stage.db.collection<Document & { _id: string }>(name);

const runVerifyTask = () => runOwnProgram(stage, '--verify');

describe('A verification of the journal', () => {
  test('runs in a process of its own, which fails where the journal was changed', async () => {
    const ledger = await stage.startReplica();
    const account = senderOf(newAccountId());
    await stage.send(account.grant(10), account.charge(newRequestId()));

    const sound = await runVerifyTask();
    await of('commits').updateOne({ accountId: account.accountId }, { $set: { note: 'added' } });
    const changed = await runVerifyTask();

    expect([sound.exitCode, changed.exitCode]).toEqual([0, 1]);
    expect(sound.stdout).toContain('journal verification passed');
    expect(changed.stdout).toContain('journal verification failed');
    expect(changed.stdout).toContain(account.accountId);
    const record = await of('verifications').findOne({ _id: 'last' });
    expect(record).toMatchObject({ problems: [{ accountId: account.accountId }] });
    await ledger.stop();
  });

  test('is made by one of two replicas, when the last one is older than the interval', async () => {
    const config = { verifyIntervalMs: 2_000 };
    await Promise.all([stage.startReplica({ config }), stage.startReplica({ config })]);
    const finished = new Set<string>();

    await waitFor('three verifications have finished', async () => {
      const last = await of('verifications').findOne({ _id: 'last' });
      if (last) finished.add(`${last['startedAtMs']} ${last['finishedAtMs']}`);
      return finished.size >= 3;
    });

    const times = [...finished].map((span) => span.split(' '));
    for (const [index, [startedAt = '']] of times.entries()) {
      const [, endedBefore = ''] = times[index - 1] ?? [];
      expect(startedAt >= endedBefore).toBe(true);
    }
  });
});
