import type { LedgerAccount } from '@inventory/billing-ledger/accounts/account.domain';
import type { CommitDocument } from '@inventory/billing-ledger/journal/commit-document';
import { BSON } from 'mongodb';
import type { Benchmark } from '../benchmark.ts';
import { fundedAccount, newAccountIds, pair, plan, seal } from '../ledger-work.ts';
import { moreIsBetter } from '../row.ts';

const accounts = 1_000;
const pairsPerRound = 2_000;
const hotPairsPerCommit = 100;

/** (d) The ledger without a store: pairs of reserve and settle, against writing them as BSON. */
export const ledgerCore: Benchmark = {
  name: 'ledger-core',
  runWithoutBackends({ quick }) {
    const rounds = quick ? 10 : 40;
    const spread = measure(rounds, accounts, 1);
    const hot = measure(rounds, 1, hotPairsPerCommit);
    return [
      moreIsBetter({
        name: 'ledger core, pairs, against BSON of the same commits',
        value: spread.core,
        unit: '/s',
        yardstick: spread.bson,
        floor: 0.3,
      }),
      moreIsBetter({
        name: 'ledger core with sealed commits, against BSON of the same commits',
        value: spread.sealed,
        unit: '/s',
        yardstick: spread.bson,
        floor: 0.3,
      }),
      moreIsBetter({
        name: 'ledger core with sealed commits, one hot account, against spread load',
        value: hot.sealed,
        unit: '/s',
        yardstick: spread.sealed,
        floor: 0.8,
      }),
    ];
  },
};

interface Rates {
  readonly core: number;
  readonly sealed: number;
  readonly bson: number;
}

/** Each round does the three in turn over the same commands; the median of the rounds counts. */
function measure(rounds: number, accountCount: number, pairsPerCommit: number): Rates {
  const ids = newAccountIds(accountCount);
  const state = new Map<string, LedgerAccount>(ids.map((id) => [id, fundedAccount(id)]));
  const rates: { core: number[]; sealed: number[]; bson: number[] } = {
    core: [],
    sealed: [],
    bson: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    const commits = Array.from({ length: pairsPerRound / pairsPerCommit }, (_, index) => {
      const id = ids[index % ids.length] ?? '';
      return {
        id,
        commands: Array.from({ length: pairsPerCommit }, () => pair(id as 'acc_')).flat(),
      };
    });
    const before = new Map(state);
    rates.core.push(
      pairsPerSecond(() => {
        for (const { id, commands } of commits) {
          const account = state.get(id);
          if (account) state.set(id, plan(account, commands).account);
        }
      }),
    );
    const documents: CommitDocument[] = [];
    rates.sealed.push(
      pairsPerSecond(() => {
        for (const { id, commands } of commits) {
          const account = before.get(id);
          if (!account) continue;
          const planned = plan(account, commands);
          before.set(id, planned.account);
          documents.push(seal(planned));
        }
      }),
    );
    const contents = documents.map(({ content }): object => JSON.parse(content.toString()));
    rates.bson.push(
      pairsPerSecond(() => {
        for (const content of contents) BSON.serialize(content);
      }),
    );
  }
  return { core: median(rates.core), sealed: median(rates.sealed), bson: median(rates.bson) };
}

/** By CPU time, which other work on the machine does not lengthen. */
function pairsPerSecond(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (pairsPerRound / (user + system)) * 1_000_000;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
