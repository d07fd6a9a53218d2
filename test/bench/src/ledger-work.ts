import { type LedgerAccount, newAccount } from '@inventory/billing-ledger/accounts/account.domain';
import type { Command } from '@inventory/billing-ledger/accounts/command.domain';
import { type CommitPlan, planCommit } from '@inventory/billing-ledger/accounts/evaluate.domain';
import {
  type CommitDocument,
  chainStart,
  sealCommit,
} from '@inventory/billing-ledger/journal/commit-document';
import {
  createPriceBook,
  firstPriceList,
} from '@inventory/billing-ledger/prices/price-list.domain';
import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { systemIdentifiers } from '@inventory/runtime/identifiers';

const { uuidV7 } = systemIdentifiers;

export const newAccountIds = (count: number): AccountId[] =>
  Array.from({ length: count }, (): AccountId => `acc_${uuidV7()}`);

/** Puts enough credits on an account for any number of pairs. */
export function grant(accountId: AccountId): Command {
  const id = uuidV7();
  return {
    type: 'billing.grant.v1',
    writtenAtMs: Date.now(),
    body: {
      commandId: `grant:${accountId}:${id}`,
      accountId,
      requestId: `req_${id}`,
      asset: 'credits',
      amount: 1_000_000_000,
      reason: 'benchmark',
    },
  };
}

/** A refresh's two commands: hold 125, then settle by 4,001 observed assets. */
export function pair(accountId: AccountId, ofProject?: ProjectId): [Command, Command] {
  const refreshId = uuidV7();
  const projectId: ProjectId = ofProject ?? `prj_${refreshId}`;
  const subjects = { accountId, projectId, refreshId };
  const writtenAtMs = Date.now();
  return [
    {
      type: 'billing.reserve.v1',
      writtenAtMs,
      body: {
        ...subjects,
        credentialId: null,
        commandId: `reserve:${refreshId}`,
        requestId: `req_${refreshId}`,
        productCode: 'platform.inventory.refresh.v1',
        maxCredits: 125,
        deadlineAtMs: writtenAtMs,
        retryAfterSeconds: 1,
      },
    },
    {
      type: 'billing.settle.v1',
      writtenAtMs,
      body: {
        ...subjects,
        commandId: `settle:${refreshId}`,
        outcome: 'complete_changed',
        observedAssets: 4_001,
      },
    },
  ];
}

const limits = { entriesMax: 500, bytesMax: 256 * 1_024 };
const prices = createPriceBook([firstPriceList]);

/** Evaluates commands of one account as the writer does, with nothing known beforehand. */
export function plan(account: LedgerAccount, commands: readonly Command[]): CommitPlan {
  const now = Date.now();
  return planCommit(account, commands, { now, prices, recorded: () => undefined }, limits);
}

/** An account that can pay, as a writer would have it in memory. */
export function fundedAccount(accountId: AccountId): LedgerAccount {
  return plan(newAccount(accountId), [grant(accountId)]).account;
}

/** The document a plan becomes. */
export function seal({ account, entries }: CommitPlan): CommitDocument {
  return sealCommit({ account, entries, previous: chainStart }, 'benchmark');
}
