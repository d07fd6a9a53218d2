import type { OutgoingMessage } from '@inventory/messaging/bus';
import { newAccountId, newRefreshId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { type Sender, senderOf } from './support/billing-commands.ts';
import { type LedgerStage, openStage } from './support/running-ledger.ts';

let stage: LedgerStage;

beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

/** Refreshes of an account that can pay for some of them, in the order of their commands. */
function refreshesOf(account: Sender, count: number): OutgoingMessage[] {
  return Array.from({ length: count }, (_, index): OutgoingMessage[] => {
    const refresh = newRefreshId();
    const end = [
      account.settle(refresh, 'complete_changed', index * 700),
      account.settle(refresh, 'private'),
      account.release(refresh),
    ][index % 3];
    return end ? [account.reserve(refresh), end] : [];
  }).flat();
}

function published(account: Sender) {
  const first = new Map<string, string>();
  const repetitions: string[] = [];
  for (const outcome of stage.outcomesOf(account.accountId)) {
    const text = JSON.stringify(outcome);
    const before = first.get(outcome.commandId);
    if (before === undefined) first.set(outcome.commandId, text);
    else if (before !== text) repetitions.push(text);
  }
  return { first, changed: repetitions };
}

async function everyResponseOf(account: Sender, count: number): Promise<void> {
  await waitFor(
    `${count} outcomes are published`,
    () => stage.outcomesOf(account.accountId).length >= count,
  );
}

describe('Two replicas of the ledger', () => {
  test('answer every command once although each is delivered twice, and the books add up', async () => {
    const [one] = await Promise.all([stage.startReplica(), stage.startReplica()]);
    const accounts = Array.from({ length: 8 }, () => senderOf(newAccountId()));
    const commands = accounts.map((account) => [account.grant(2_000), ...refreshesOf(account, 12)]);

    await Promise.all(
      commands.map(async (ofAccount) => {
        for (const command of ofAccount) await stage.bus.publish([command, command]);
      }),
    );
    for (const [index, account] of accounts.entries()) {
      await everyResponseOf(account, 2 * (commands[index]?.length ?? 0));
    }

    for (const [index, account] of accounts.entries()) {
      const { first, changed } = published(account);
      expect(changed).toEqual([]);
      expect(first.size).toBe(commands[index]?.length);
      expect(await one.statement(account.accountId)).toHaveLength(first.size);
      expect((await one.balance(account.accountId)).balances[0]?.held).toBe(0);
    }
    expect(await one.verify()).toMatchObject({ ok: true, accounts: 8, problems: [] });
  });

  test('hand over while commands flow: no command is lost, doubled or answered differently', async () => {
    const first = await stage.startReplica();
    const account = senderOf(newAccountId());
    const commands = [account.grant(100_000), ...refreshesOf(account, 150)];
    const sending = (async () => {
      for (const command of commands) await stage.bus.publish([command]);
    })();
    await everyResponseOf(account, 60);

    const second = await stage.startReplica();
    await everyResponseOf(account, 150);
    await first.stop();
    await sending;
    await waitFor(
      'every command was answered',
      () => published(account).first.size === commands.length,
    );

    expect(published(account).changed).toEqual([]);
    expect(await second.statement(account.accountId, 1_000)).toHaveLength(commands.length);
    expect(await second.verify()).toMatchObject({ ok: true, entries: commands.length });
  });
});

describe('A ledger that restarts without memory', () => {
  test('re-emits every outcome byte for byte from the journal, and writes nothing', async () => {
    const before = await stage.startReplica();
    const account = senderOf(newAccountId());
    const commands = [
      ...refreshesOf(account, 3),
      account.grant(1_000),
      ...refreshesOf(account, 12),
    ];
    await stage.send(...commands);
    await before.stop();
    const after = await stage.startReplica({
      config: { cache: { accountsMax: 1, recentKeysMax: 1 } },
    });
    const entries = (await after.verify()).entries;

    await stage.bus.publish(commands.toReversed());
    await everyResponseOf(account, 2 * commands.length);

    expect(published(account).changed).toEqual([]);
    expect(await after.verify()).toMatchObject({ ok: true, entries });
  });
});

describe('An account with a great backlog', () => {
  test('is answered in few commits, in order, and leaves its neighbour on the partition unharmed', async () => {
    const account = senderOf(newAccountId());
    const commands = [account.grant(1_000_000), ...refreshesOf(account, 400)];
    await stage.bus.publish(commands);
    const neighbour = senderOf(newAccountId());
    await stage.bus.publish([neighbour.grant(5)]);

    const ledger = await stage.startReplica();
    await everyResponseOf(account, commands.length);
    await everyResponseOf(neighbour, 1);

    const commits = await stage.db
      .collection('commits')
      .countDocuments({ accountId: account.accountId });
    expect(commits).toBeLessThan(commands.length / 20);
    expect(stage.outcomesOf(account.accountId).map(({ commandId }) => commandId)).toEqual(
      commands.map(({ id }) => id),
    );
    expect(await ledger.verify()).toMatchObject({ ok: true, accounts: 2 });
  });
});
