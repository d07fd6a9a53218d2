import { ledgerAssets } from '@inventory/contracts/vocabulary';
import type { Balances } from '../../src/accounts/balances.domain.ts';
import type { Entry } from '../../src/accounts/entry.domain.ts';
import { listHolds } from '../../src/accounts/hold-set.domain.ts';
import { fundingAsset } from '../../src/accounts/terms.domain.ts';
import { accounts } from './program.ts';
import { type Invariant, newEntries, runProgram } from './run-program.ts';

const sumOf = ({ available, held, consumed, expired }: Balances) =>
  BigInt(available) + BigInt(held) + BigInt(consumed) + BigInt(expired);

export const isConserved: Invariant = (rules, program) => {
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
    const isIssue = command.type === 'billing.grant.v1' || command.type === 'billing.adjust.v1';
    if (isIssue && entry.refusal === null)
      issued[command.body.asset] += BigInt(command.body.amount);
  }
  const states = accounts.map(ledger.account);
  return ledgerAssets.every(
    (asset) =>
      states.reduce((sum, { balances }) => sum + sumOf(balances[asset]), 0n) === issued[asset],
  );
};

export const isSolvent: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const balances = [
    ...played.map(({ entry }) => entry.after),
    ...accounts.flatMap((accountId) => Object.values(ledger.account(accountId).balances)),
  ];
  return balances.every((amounts) =>
    Object.values(amounts).every((amount) => amount >= 0 && Number.isSafeInteger(amount)),
  );
};

export const holdsAddUp: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const open = new Map<string, Entry>();
  const resolved = new Set<string>();
  for (const { step, entry, account } of newEntries(played)) {
    const key = `${step.command.body.accountId} ${entry.refreshId}`;
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

export const fundingIsFixed: Invariant = (rules, program) => {
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
