import type { AccountId } from '@inventory/contracts/ids';
import { newRequestId } from '@inventory/testkit/builders';
import type { Db } from 'mongodb';
import { newAccount } from '../../src/accounts/account.domain.ts';
import type { Command } from '../../src/accounts/command.domain.ts';
import { planCommit } from '../../src/accounts/evaluate.domain.ts';
import { chainStart } from '../../src/journal/commit-document.ts';
import { createJournal } from '../../src/journal/journal-store.ts';
import type { Snapshot } from '../../src/snapshots/snapshot-document.ts';
import { commandOf, prices } from './program.ts';

/** Stores so many grants of one credit each, as a writer would; the account after them. */
export async function storeGrants(db: Db, accountId: AccountId, count: number): Promise<Snapshot> {
  const journal = createJournal(db, 'test');
  const limits = { entriesMax: 500, bytesMax: 2 ** 20 };
  const context = { now: Date.UTC(2026, 1, 1), prices, recorded: () => undefined };
  let [account, head] = [newAccount(accountId), chainStart];
  while (account.lastSeq < count) {
    const size = Math.min(limits.entriesMax, count - account.lastSeq);
    const commands = Array.from({ length: size }, (_, at) =>
      grantOf(accountId, account.lastSeq + at),
    );
    const plan = planCommit(account, commands, context, limits);
    const { entries } = plan;
    const [appended] = await journal.appendCommits([
      { account: plan.account, entries, previous: head },
    ]);
    if (appended?.result !== 'appended') throw new Error('the store refused a commit');
    [account, head] = [plan.account, appended.head];
  }
  return { account, head };
}

function grantOf(accountId: AccountId, index: number): Command {
  const booking = { asset: 'credits', amount: 1, reason: 'a long journal' } as const;
  const ids = { commandId: `grant:${index}`, accountId, requestId: newRequestId() };
  return commandOf('grant', { ...ids, ...booking });
}
