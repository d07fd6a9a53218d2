import { quarantineLifted, quarantineList } from '@inventory/contracts/internal/ledger';
import { ServiceUnreachable } from '@inventory/http/internal-client';
import { systemClock } from '@inventory/runtime/clock';
import { newAccountId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createRunningClock, createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Collection, Document } from 'mongodb';
import { commitId } from '../src/journal/commit-document.ts';
import { snapshotFormat } from '../src/snapshots/snapshot-document.ts';
import { commitDelayMaxMs } from '../src/snapshots/snapshot-pass.ts';
import { createSnapshotStore } from '../src/snapshots/snapshot-store.ts';
import { senderOf } from './support/billing-commands.ts';
import { storeGrants } from './support/long-journal.ts';
import { type LedgerStage, openStage, type RunningLedger } from './support/running-ledger.ts';

let stage: LedgerStage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await stage.close();
});

const commits = () => stage.db.collection<Document & { _id: string }>('commits');
const snapshots = () => stage.db.collection<Document & { _id: string }>('snapshots');
const hourMs = 3_600_000;

/** Replaces text in the content of a stored document, as a hand that knows nothing of its hash. */
async function rewrite(
  collection: Collection<Document & { _id: string }>,
  _id: string,
  [from, to]: readonly [string, string],
): Promise<void> {
  const found = await collection.findOne({ _id }, { promoteBuffers: true });
  const text = String(found?.['content']);
  if (!text.includes(from)) throw new Error(`the content has no ${from}: ${text}`);
  const content = Buffer.from(text.replace(from, to));
  await collection.updateOne({ _id }, { $set: { content } });
}

describe('A journal that was changed', () => {
  test('is found by verify, whatever was changed, and only the changed accounts are named [ledger-verify]', async () => {
    const ledger = await stage.startReplica();
    const changes = [
      ['"after":{"available":300', '"after":{"available":301'] as const,
      ['"seq":1', '"seq":2'] as const,
      [']', '],"note":1'] as const,
      ['[', '[['] as const,
      { $set: { atMs: 0 } },
      { $set: { note: 'a field that was not there' } },
      { $set: { hash: 'a'.repeat(64) } },
      { $unset: { commandKeys: 1 as const } },
    ];
    const accounts = changes.map(() => senderOf(newAccountId()));
    const untouched = senderOf(newAccountId());
    await stage.send(...[...accounts, untouched].flatMap((one) => [one.grant(300), one.reserve()]));
    expect((await ledger.verify()).problems).toEqual([]);

    const found: string[][] = [];
    for (const [index, change] of changes.entries()) {
      const _id = commitId(accounts[index]?.accountId ?? 'acc_', 1);
      if ('length' in change) await rewrite(commits(), _id, change);
      else await commits().updateOne({ _id }, change);
      const { problems } = await ledger.verify();
      found.push([...new Set(problems.map(({ accountId }) => accountId))].sort());
    }

    const changed = accounts.map(({ accountId }) => accountId);
    expect(found).toEqual(changed.map((_one, index) => changed.slice(0, index + 1).sort()));
  });

  test('is found by the scheduled verification, and logged', async () => {
    const outcomes = jest.spyOn(testLogger, 'error');
    await stage.startReplica({ config: { verifyIntervalMs: 100 } });
    const { accountId, grant } = senderOf(newAccountId());
    await stage.send(grant(300));
    const found = () =>
      outcomes.mock.calls.flatMap(([fields, text]) => {
        const { problems } = fields as unknown as { problems?: { accountId: string }[] };
        return text === 'journal verification failed' ? [problems?.[0]?.accountId] : [];
      });
    expect(found()).toEqual([]);

    await commits().updateOne({ accountId }, { $set: { hash: 'a'.repeat(64) } });

    await waitFor('the journal is verified again', () => found().includes(accountId));
    outcomes.mockRestore();
  });

  test.each([
    ['changed', { $set: { note: 'x' } }],
    ['made unreadable', { $unset: { content: 1 as const } }],
  ])(
    'and %s stops that account and no other: its commands go to the dead letters at once',
    async (_how, change) => {
      const before = await stage.startReplica();
      const account = senderOf(newAccountId());
      // Enough neighbours that some share the partition.
      const neighbours = Array.from({ length: 8 }, () => senderOf(newAccountId()));
      await stage.send(account.grant(300), ...neighbours.map((one) => one.grant(300)));
      await before.stop();
      await snapshots().deleteMany({});
      await commits().updateOne({ accountId: account.accountId }, change);
      const ledger = await stage.startReplica();
      const letters = recordDeadLetters();

      // More than the dead letters after which a partition stops.
      const lost = Array.from({ length: 60 }, () => account.reserve());
      await stage.bus.publish(lost);
      const outcomes = await stage.send(...neighbours.map((one) => one.reserve()));

      expect(outcomes.map(({ result }) => result)).toEqual(neighbours.map(() => 'applied'));
      expect(stage.outcomesOf(account.accountId)).toHaveLength(1);
      await waitFor('every command of the account is a dead letter', () => letters().length >= 60);
      const letter = { reason: 'account_quarantined', detail: account.accountId };
      expect(letters()).toEqual(lost.map(() => expect.objectContaining(letter)));
      expect(await ledger.readiness()).toEqual({ status: 200, problems: [] });
    },
  );

  test('is shown by the quarantine until it is lifted; then the account continues', async () => {
    const account = senderOf(newAccountId());
    const { accountId } = account;
    const replicas = await Promise.all([stage.startReplica(), stage.startReplica()]);
    await stage.send(account.grant(300));
    const healthy = await commits().findOne({ accountId });
    await Promise.all(replicas.map((one) => one.stop()));
    await commits().updateOne({ accountId }, { $set: { note: 'x' } });
    const [ledger] = await Promise.all([stage.startReplica(), stage.startReplica()]);
    const letters = recordDeadLetters();
    await stage.bus.publish([account.reserve()]);
    await waitFor('the command is a dead letter', () => letters().length === 1);

    const listed = await quarantineOf(ledger);
    const restored = { ...healthy, _id: `${healthy?._id}` };
    await stage.db
      .collection<Document & { _id: string }>('commits')
      .replaceOne({ accountId }, restored);
    const lifted = await liftQuarantine(ledger, accountId);
    const [reserved] = await stage.send(account.reserve());

    expect(listed).toEqual([
      { accountId, sinceMs: expect.any(Number), detail: expect.stringMatching(/hash/) },
    ]);
    expect(lifted).toEqual({ accountId, lifted: true });
    expect(reserved).toMatchObject({ result: 'applied' });
    expect(await quarantineOf(ledger)).toEqual([]);
    expect((await ledger.verify()).problems).toEqual([]);
  });
});

function recordDeadLetters(): () => readonly object[] {
  const errors = jest.spyOn(testLogger, 'error');
  return () =>
    errors.mock.calls.flatMap(([fields, text]) =>
      text === 'record sent to the dead letters' ? [fields as unknown as object] : [],
    );
}

const quarantineOf = async ({ client }: RunningLedger) =>
  (await client.json(quarantineList, { method: 'GET', path: '/quarantine' })).accounts;
const liftQuarantine = ({ client }: RunningLedger, accountId: string) =>
  client.json(quarantineLifted, { method: 'POST', path: `/quarantine/${accountId}/lift` });

const passesOften = { snapshots: { everyEntries: 1_000, passIntervalMs: 100 } };

/** Every entry made until now is in the list: none reaches the journal later. */
function considered(ledger: RunningLedger, clock: Pick<TestClock, 'now' | 'advance'>) {
  const untilMs = clock.now();
  clock.advance(commitDelayMaxMs);
  return waitFor('a pass has considered it', async () => {
    const { asOfMs } = await ledger.oldHolds(0);
    return (asOfMs ?? 0) >= untilMs;
  });
}

describe('The list of old holds', () => {
  test('names every hold that is open for longer, oldest first, and none that ended', async () => {
    const clock = createTestClock(Date.UTC(2026, 6, 1));
    const ledger = await stage.startReplica({ clock, config: passesOften });
    const [first, second] = [senderOf(newAccountId()), senderOf(newAccountId())];
    const [oldest, ended, old, young] = [0, 1, 2, 3].map(newRefreshId) as [
      string,
      string,
      string,
      string,
    ];
    await stage.send(first.grant(1_000), second.grant(1_000), first.reserve(oldest));
    clock.advance(1_000);
    await stage.send(second.reserve(old), first.reserve(ended));
    clock.advance(2 * hourMs);
    await stage.send(first.reserve(young), first.settle(ended, 'cancelled'));

    clock.advance(1_000);
    await considered(ledger, clock);
    const found = await ledger.oldHolds(3_600);
    const all = await ledger.oldHolds(0);

    expect(found.items.map(({ refreshId }) => refreshId)).toEqual([oldest, old]);
    expect(found.items[0]).toMatchObject({ accountId: first.accountId, amount: 125 });
    expect(all.items.map(({ refreshId }) => refreshId)).toEqual([oldest, old, young]);
    expect((await ledger.oldHolds(0, 1)).items).toHaveLength(1);
  });

  test('has the holds of a process that died without saving a snapshot', async () => {
    const clock = createRunningClock();
    const ledger = await stage.startReplica({
      clock,
      config: { snapshots: { everyEntries: 1_000, passIntervalMs: 2_000 } },
    });
    const account = senderOf(newAccountId());
    const reserve = account.reserve();
    await stage.send(account.grant(1_000), reserve);

    await considered(ledger, clock);
    const { items } = await ledger.oldHolds(0);

    expect(items.map(({ refreshId }) => refreshId)).toEqual([reserve.body.refreshId]);
  });
});

describe('Snapshots', () => {
  test('appear while an account is busy, and when its ledger stops', async () => {
    const ledger = await stage.startReplica();
    const account = senderOf(newAccountId());
    const refreshes = Array.from({ length: 30 }, newRefreshId);

    await stage.send(account.grant(100_000), ...refreshes.map((id) => account.reserve(id)));
    const found = () => snapshots().findOne({ _id: account.accountId, lastSeq: { $gte: 20 } });
    await waitFor('a snapshot is there', found);
    await stage.send(account.grant(1));
    await ledger.stop();

    expect((await found())?.['lastSeq']).toBe(32);
  });

  test('are compared with their hash: a cap that was taken out of one still refuses', async () => {
    const account = senderOf(newAccountId());
    const cap = { sets: 'spend_cap', projectId: account.projectId, cap: 0 } as const;
    const first = await stage.startReplica();
    await stage.send(account.grant(1_000), account.configure(cap));
    await first.stop();
    const caps = `"caps":[{"projectId":"${account.projectId}","cap":0}]`;
    await rewrite(snapshots(), account.accountId, [caps, '"caps":[]']);

    const second = await stage.startReplica();
    const [refused] = await stage.send(account.reserve());

    expect(refused).toMatchObject({ result: 'refused', refusal: { code: 'spend_cap_reached' } });
    await second.stop();
    const third = await stage.startReplica();
    expect((await third.verify()).problems).toEqual([]);
  });

  test('of an unknown format are rebuilt beside the commands: their account waits, its neighbours do not', async () => {
    const account = senderOf(newAccountId());
    const { accountId } = account;
    const neighbours = Array.from({ length: 8 }, () => senderOf(newAccountId()));
    const stored = await storeGrants(stage.db, accountId, 12_000);
    const store = createSnapshotStore(stage.db);
    await store.saveSnapshot(stored);
    await store.movePass(await store.findPassedThrough(), systemClock.now());
    await snapshots().updateOne({ _id: accountId }, { $set: { format: 99 } });
    // Another replica has begun to rebuild it.
    const leases = stage.db.collection<Document & { _id: string }>('leases');
    const lease = { owner: 'another', until: new Date(Date.UTC(2100, 0)) };
    const _id = `snapshot rebuild/${accountId}`;
    await leases.insertOne({ _id, lease });
    const letters = recordDeadLetters();
    const ledger = await stage.startReplica();
    const [reserve, adjust] = [account.reserve(), account.adjust(-1)];

    await stage.bus.publish([reserve, adjust]);
    const granted = await stage.send(...neighbours.map((one) => one.grant(5)));
    const reserved = await stage.send(...neighbours.map((one) => one.adjust(-1)));
    const before = stage.outcomesOf(accountId);
    const reading = ledger.holds(accountId);
    await expect(reading).rejects.toThrow(ServiceUnreachable);
    await leases.deleteOne({ _id });
    const responded = await stage.send(reserve, adjust);

    expect([...granted, ...reserved].map(({ result }) => result)).toEqual(
      Array(16).fill('applied'),
    );
    expect(before).toEqual([]);
    expect(responded.map(({ seq, balance }) => [seq, balance.available])).toEqual([
      [12_001, 11_875],
      [12_002, 11_874],
    ]);
    expect(letters()).toEqual([]);
    expect(await snapshots().findOne({ _id: accountId })).toMatchObject({ format: snapshotFormat });
    expect((await ledger.holds(accountId)).items).toHaveLength(1);
    expect((await ledger.verify()).problems).toEqual([]);
  });

  test('are never needed: a wrong one is ignored, and verification reports it', async () => {
    const first = await stage.startReplica();
    const account = senderOf(newAccountId());
    const { accountId } = account;
    await stage.send(account.grant(1_000), account.reserve());
    await first.stop();
    const second = await stage.startReplica();
    await waitFor('its first pass is over', () => stage.db.collection('passes').findOne({}));
    await rewrite(snapshots(), accountId, ['"available":875', '"available":1']);

    const [adjusted] = await stage.send(account.adjust(-875));

    expect(adjusted).toMatchObject({ result: 'applied', balance: { available: 0, held: 125 } });
    expect((await second.verify()).problems).toEqual([
      { accountId, seq: 2, problem: 'snapshot hash mismatch' },
    ]);
    await snapshots().deleteMany({});
    expect((await second.holds(accountId)).items).toHaveLength(1);
    expect((await second.verify()).problems).toEqual([]);
  });
});
