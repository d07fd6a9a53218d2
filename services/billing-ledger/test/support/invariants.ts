import { ledgerAssets } from '@inventory/contracts/vocabulary';
import { outcomeId, toAnswerOutcome, toOutcome } from '../../src/consumers/outcome.ts';
import { type Account, newAccount } from '../../src/domain/account.ts';
import type { Balances } from '../../src/domain/balances.ts';
import type { Command } from '../../src/domain/command.ts';
import type { Entry } from '../../src/domain/entry.ts';
import { fundingAsset } from '../../src/domain/funding.ts';
import { holdSetOf, listHolds } from '../../src/domain/hold-set.ts';
import type { PriceList } from '../../src/domain/price-list.ts';
import {
  capsAreKept,
  monthsBeginOnce,
  pastUnitsExpire,
  readsAsItWillBe,
  warnsOncePerCrossing,
} from './month-invariants.ts';
import { accounts, isComplete, priceLists, secondPriceList, startMs } from './program.ts';
import { createReferenceModel } from './reference-model.ts';
import { createLedger, type Invariant, type Played, runProgram } from './run-program.ts';

/** What an outside auditor sees of an account: no position, no time. */
function moneyOf(account: Account): string {
  return JSON.stringify([account.balances, listHolds(account.holds)]);
}

function stateOf(account: Account): string {
  return JSON.stringify([account, listHolds(account.holds)].map(withoutBuckets));
}

function withoutBuckets(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'holds' in value
    ? { ...value, holds: undefined }
    : value;
}

const newEntries = (played: readonly Played[]) => played.filter(({ verdict }) => verdict === 'new');

const sumOf = ({ available, held, consumed, expired }: Balances) =>
  BigInt(available) + BigInt(held) + BigInt(consumed) + BigInt(expired);

const isConserved: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const issued = { credits: 0n, units: 0n };
  for (const { step, entry, account } of newEntries(played)) {
    if (BigInt(entry.change.issued) !== sumOf(entry.change)) return false;
    if (BigInt(entry.after.issued) !== sumOf(entry.after)) return false;
    if (account.balances[entry.asset].available !== entry.after.available) return false;
    for (const { kind, change } of entry.opening) {
      if (kind === 'allowance') issued.units += BigInt(change.available);
    }
    const { command } = step;
    const isIssue = command.kind === 'grant' || command.kind === 'adjust';
    if (isIssue && entry.refusal === null) issued[command.asset] += BigInt(command.amount);
  }
  const states = accounts.map(ledger.account);
  return ledgerAssets.every(
    (asset) =>
      states.reduce((sum, { balances }) => sum + sumOf(balances[asset]), 0n) === issued[asset],
  );
};

const isSolvent: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const balances = [
    ...played.map(({ entry }) => entry.after),
    ...accounts.flatMap((accountId) => Object.values(ledger.account(accountId).balances)),
  ];
  return balances.every((places) =>
    Object.values(places).every((amount) => amount >= 0 && Number.isSafeInteger(amount)),
  );
};

const holdsAddUp: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const open = new Map<string, Entry>();
  const resolved = new Set<string>();
  for (const { step, entry, account } of newEntries(played)) {
    const key = `${step.command.accountId} ${entry.refreshId}`;
    if (entry.kind === 'reserve') open.set(key, entry);
    if (entry.kind === 'settle' || entry.kind === 'release') {
      if (resolved.has(key) || !open.delete(key)) return false;
      resolved.add(key);
    }
    const held = listHolds(account.holds).reduce((sum, hold) => sum + hold.amount, 0);
    const { credits, units } = account.balances;
    if (held !== credits.held + units.held) return false;
  }
  const stillOpen = accounts.flatMap((id) =>
    listHolds(ledger.account(id).holds).map((hold) => `${id} ${hold.refreshId}`),
  );
  return stillOpen.sort().join() === [...open.keys()].sort().join();
};

/** The price of a refresh, as the price page says it. */
function priceOf(entry: Entry, reserved: number, list: PriceList): number {
  if (entry.outcome === null) return 0;
  if (isComplete(entry.outcome)) {
    const blocks = Math.ceil((entry.observedAssets ?? 0) / list.refreshBlockAssets);
    return Math.min(reserved, blocks * list.refreshBlock);
  }
  return ['private', 'not_found'].includes(entry.outcome) ? list.refreshDiagnostic : 0;
}

const chargesBySize: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return newEntries(played)
    .filter(({ entry }) => entry.kind === 'settle' || entry.kind === 'release')
    .every(({ before, entry, step }) => {
      const hold = listHolds(before.holds).find(({ refreshId }) => refreshId === entry.refreshId);
      const list = priceLists.find(({ version }) => version === hold?.priceVersion);
      if (!hold || !list) return false;
      const { consumed: charged, available, expired } = entry.change;
      const released = available + expired;
      const outcome = step.command.kind === 'settle' ? step.command.outcome : null;
      return (
        entry.outcome === outcome &&
        charged + released === hold.amount &&
        charged === priceOf(entry, hold.amount, list)
      );
    });
};

const refusesOnlyTheShort: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return newEntries(played)
    .filter(({ step }) => step.command.kind === 'reserve')
    .every(({ before, entry }) => {
      const list = entry.at >= secondPriceList.effectiveAt ? secondPriceList : priceLists[0];
      const asset = fundingAsset(before.terms.funding);
      const isShort = before.balances[asset].available < (list?.refreshReservation ?? 0);
      if (entry.refusal?.code === 'spend_cap_reached') return !isShort;
      return entry.kind === (isShort ? 'refuse' : 'reserve');
    });
};

const answersStick: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const tellAgain = (step: Played['step']) => {
    const before = stateOf(ledger.account(step.command.accountId));
    const again = ledger.play({ ...step, now: step.now + 86_400_000 });
    const isUnchanged = before === stateOf(ledger.account(step.command.accountId));
    return { again, isUnchanged };
  };
  // Money arrives in between: what was refused for want of it stays refused.
  for (const [index, accountId] of accounts.entries()) {
    const asset = index === 0 ? 'credits' : 'units';
    const common = { accountId, requestId: 'req_', asset, amount: 1_000, reason: 'late' } as const;
    const command: Command = { ...common, kind: 'grant', commandId: 'grant:late' };
    ledger.play({ command, now: startMs });
  }
  return played.toReversed().every(({ step, verdict, entry }) => {
    const first = { verdict: verdict === 'new' ? ('recorded' as const) : verdict, entry };
    const { again, isUnchanged } = tellAgain(step);
    const told = JSON.stringify(toAnswerOutcome(step.command, first));
    const repeated = { verdict: again.verdict as typeof first.verdict, entry: again.entry };
    if (again.verdict === 'new' || !isUnchanged) return false;
    if (told !== JSON.stringify(toAnswerOutcome(step.command, repeated))) return false;
    const other = withOtherContent(step.command);
    if (!other || first.verdict !== 'recorded') return true;
    const conflicting = tellAgain({ ...step, command: other });
    return conflicting.again.verdict === 'conflict' && conflicting.isUnchanged;
  });
};

/** Null where a command has no content beside its id, or the first one stands whatever comes. */
function withOtherContent(command: Command): Command | null {
  switch (command.kind) {
    case 'reserve':
    case 'charge':
      return { ...command, projectId: 'prj_other' };
    case 'grant':
    case 'adjust':
      return { ...command, amount: command.amount + 1 };
    case 'configure':
      return { ...command, reason: 'another' };
    default:
      return null;
  }
}

const refusalsMoveNothing: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return played.every(({ verdict, entry, before, account }) => {
    if (verdict !== 'new') return stateOf(before) === stateOf(account);
    return entry.refusal === null || moneyOf(before) === moneyOf(account);
  });
};

const stateIsTheFold: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const journal = ledger.journal(accountId);
    const live = ledger.account(accountId);
    if (journal.some((entry, index) => entry.seq !== index + 1)) return false;
    const cut = played.length % (journal.length + 1);
    const atCut = journal.slice(0, cut).reduce(rules.applyEntry, newAccount(accountId));
    const snapshot = { ...atCut, holds: holdSetOf(listHolds(atCut.holds)) };
    const resumed = journal.slice(cut).reduce(rules.applyEntry, snapshot);
    const folded = journal.reduce(rules.applyEntry, newAccount(accountId));
    return stateOf(folded) === stateOf(live) && stateOf(resumed) === stateOf(live);
  });
};

const timeGoesOn: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const isClockOfLedger = newEntries(played).every(
    ({ entry, step, met }) =>
      entry.at - entry.opening.length === Math.max(step.now, met.lastAt + 1),
  );
  const isIncreasing = accounts.every((accountId) =>
    ledger.journal(accountId).every((entry, index, all) => entry.at > (all[index - 1]?.at ?? 0)),
  );
  return isClockOfLedger && isIncreasing;
};

const fundingIsFixed: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return newEntries(played).every(({ before, account, entry }) => {
    const other = entry.asset === 'credits' ? 'units' : 'credits';
    if (JSON.stringify(before.balances[other]) !== JSON.stringify(account.balances[other])) {
      return false;
    }
    if (entry.kind === 'reserve' || entry.kind === 'charge') {
      return entry.asset === fundingAsset(before.terms.funding);
    }
    if (entry.kind !== 'settle' && entry.kind !== 'release') return true;
    const hold = listHolds(before.holds).find(({ refreshId }) => refreshId === entry.refreshId);
    return hold?.asset === entry.asset;
  });
};

const pricesAreFixed: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const reserves = new Map<string | null, Entry>();
    for (const entry of ledger.journal(accountId)) {
      if (entry.kind === 'reserve') reserves.set(entry.refreshId, entry);
      if (entry.kind !== 'settle' && entry.kind !== 'release') continue;
      const reserve = reserves.get(entry.refreshId);
      const list = priceLists.find(({ version }) => version === reserve?.priceVersion);
      if (!reserve || !list) return false;
      if (entry.priceVersion !== reserve.priceVersion) return false;
      if (entry.productCode !== reserve.productCode) return false;
      if (entry.change.consumed !== priceOf(entry, reserve.change.held, list)) return false;
    }
    return true;
  });
};

const outcomesAreTheEntries: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const told = new Map<string, string>();
  for (const { step, verdict, entry } of played) {
    if (verdict === 'precluded') continue;
    for (const one of [...entry.opening, entry]) {
      const outcome = toOutcome(step.command.accountId, one);
      told.set(outcomeId(outcome), JSON.stringify(outcome));
    }
  }
  const journaled = accounts.flatMap((accountId) =>
    ledger.journal(accountId).map((entry) => toOutcome(accountId, entry)),
  );
  const commands = new Set(
    journaled.map((outcome) => `${outcome.account_id} ${outcome.command_id}`),
  );
  return (
    commands.size === journaled.length &&
    told.size === journaled.length &&
    journaled.every((outcome) => told.get(outcomeId(outcome)) === JSON.stringify(outcome))
  );
};

const agreesWithTheModel: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  const model = createReferenceModel(priceLists);
  if (played.length < program.length) return false;
  return played.every(({ step, verdict, entry }) => {
    const expected = model.answer(step);
    const isRefused = entry.refusal !== null;
    const fate = { new: isRefused ? 'refused' : 'applied', recorded: 'repeated' }[
      verdict as 'new' | 'recorded'
    ];
    if ((fate ?? verdict) !== expected.fate) return false;
    if (verdict !== 'new') return true;
    const { available, held, consumed } = entry.after;
    return (
      (entry.refusal?.code ?? null) === expected.code &&
      (entry.lowBalance?.available ?? null) === expected.low &&
      available === expected.available &&
      held === expected.held &&
      consumed === expected.consumed
    );
  });
};

const reversesOnce: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const charged = new Map<string | null, Entry>();
    const ended = new Set<string | null>();
    for (const entry of ledger.journal(accountId)) {
      if (entry.kind === 'charge') {
        if (ended.has(entry.requestId)) return false;
        charged.set(entry.requestId, entry);
      }
      if (entry.command !== 'reverse') continue;
      const charge = charged.get(entry.requestId);
      if (ended.has(entry.requestId) || (entry.kind === 'reverse') !== (charge !== undefined)) {
        return false;
      }
      const { available, expired } = entry.change;
      if (charge && available + expired !== charge.change.consumed) return false;
      ended.add(entry.requestId);
    }
    return true;
  });
};

const accountsAreApart: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const alone = createLedger(rules);
    for (const step of program) if (step.command.accountId === accountId) alone.play(step);
    return JSON.stringify(alone.journal(accountId)) === JSON.stringify(ledger.journal(accountId));
  });
};

/** By the numbers of the service's README. */
export const invariants = {
  1: isConserved,
  2: isSolvent,
  3: holdsAddUp,
  4: chargesBySize,
  5: refusesOnlyTheShort,
  6: answersStick,
  7: refusalsMoveNothing,
  8: stateIsTheFold,
  9: timeGoesOn,
  10: fundingIsFixed,
  11: pricesAreFixed,
  12: outcomesAreTheEntries,
  13: reversesOnce,
  17: accountsAreApart,
  18: monthsBeginOnce,
  19: pastUnitsExpire,
  20: capsAreKept,
  21: warnsOncePerCrossing,
  22: readsAsItWillBe,
  model: agreesWithTheModel,
} as const satisfies Record<string, Invariant>;
export type InvariantName = keyof typeof invariants;
