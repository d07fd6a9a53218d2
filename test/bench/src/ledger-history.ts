import { hash } from 'node:crypto';
import { newAccount } from '@inventory/billing-ledger/accounts/account.domain';
import type { Command } from '@inventory/billing-ledger/accounts/command.domain';
import { planCommit } from '@inventory/billing-ledger/accounts/evaluate.domain';
import { commitsCollection } from '@inventory/billing-ledger/collections';
import { chainStart } from '@inventory/billing-ledger/journal/commit-document';
import { createJournal } from '@inventory/billing-ledger/journal/journal-store';
import {
  createPriceBook,
  firstPriceList,
} from '@inventory/billing-ledger/prices/price-list.domain';
import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { Db } from 'mongodb';
import { grant, pair } from './ledger-work.ts';

/** The month of the history, and its days. */
export const historyStartMs = Date.UTC(2026, 9, 1);
export const historyDays = 31;
const dayMs = 86_400_000;
const pairsPerCommit = 250;
const projects = Array.from({ length: 5 }, (): ProjectId => `prj_${systemIdentifiers.uuidV7()}`);

/** Writes a month of refreshes of one account, in commits of 500 entries. */
export async function writeHistory(db: Db, accountId: AccountId, entries: number): Promise<void> {
  const journal = createJournal(db, 'benchmark');
  const prices = createPriceBook([firstPriceList]);
  const limits = { entriesMax: 2 * pairsPerCommit, bytesMax: 2 ** 20 };
  let [account, previous] = [newAccount(accountId), chainStart];
  while (account.lastSeq < entries) {
    const share = account.lastSeq / entries;
    const now = historyStartMs + Math.floor(share * historyDays * dayMs);
    const commands = account.lastSeq === 0 ? [grant(accountId)] : pairsOf(accountId);
    const context = { now, prices, recorded: () => undefined };
    const plan = planCommit(account, commands, context, limits);
    const commit = { account: plan.account, entries: plan.entries, previous };
    const [appended] = await journal.appendCommits([commit]);
    if (appended?.result !== 'appended') throw new Error('the store refused a commit');
    [account, previous] = [plan.account, appended.head];
  }
}

function pairsOf(accountId: AccountId): Command[] {
  return Array.from({ length: pairsPerCommit }, (_, index) => {
    return pair(accountId, projects[index % projects.length]);
  }).flat();
}

/** Reads and hashes the bytes of every commit in order, and does nothing else with them. */
export async function hashHistory(db: Db): Promise<void> {
  const found = db.collection(commitsCollection).find({}, { raw: true }).sort({ _id: 1 });
  for await (const bytes of found.batchSize(1_000)) hash('sha256', bytes as unknown as Buffer);
}
