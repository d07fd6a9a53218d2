import type { BillingConfiguration } from '@inventory/contracts/messages/billing';
import { spendCapScopes } from '@inventory/contracts/refusal';
import type { PageProduct } from '@inventory/contracts/vocabulary';
import type { Entry } from '../../src/accounts/entry.domain.ts';
import { periodStateOf } from '../../src/accounts/open-period.domain.ts';
import { pagePrice } from '../../src/prices/price-list.domain.ts';
import { accounts, priceLists } from './program.ts';
import { type Invariant, runProgram } from './run-program.ts';

/** The month as the calendar says it. */
const monthOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 7);

const isOpening = ({ kind }: Entry) => kind === 'expire' || kind === 'allowance';

/** The last configuration of a kind before an entry. */
function configuredBefore<Sets extends BillingConfiguration['sets']>(
  journal: readonly Entry[],
  seq: number,
  sets: Sets,
  isMeant: (configuration: Extract<BillingConfiguration, { sets: Sets }>) => boolean = () => true,
): Extract<BillingConfiguration, { sets: Sets }> | null {
  const found = journal.findLast(
    (entry) =>
      entry.seq < seq &&
      entry.configured?.sets === sets &&
      isMeant(entry.configured as Extract<BillingConfiguration, { sets: Sets }>),
  );
  return (found?.configured ?? null) as Extract<BillingConfiguration, { sets: Sets }> | null;
}

function perMonthBefore(journal: readonly Entry[], seq: number): number | null {
  const funding = configuredBefore(journal, seq, 'funding')?.funding;
  return funding?.mode === 'subscription' ? funding.unitsPerMonth : null;
}

/**
 * What is available in units is always of the month of the newest entry, and each month of a
 * subscription has one allowance, before anything else happens in it.
 */
export const monthsBeginOnce: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const journal = ledger.journal(accountId);
    const allowed = new Set<string>();
    let [units, issued, month] = [0, 0, ''];
    for (const entry of journal) {
      const isNewMonth = monthOf(entry.atMs) !== month;
      if (isNewMonth && units > 0 && entry.kind !== 'expire') return false;
      if (entry.kind === 'expire' && !(isNewMonth && entry.change.expired === units)) return false;
      month = monthOf(entry.atMs);
      const perMonth = perMonthBefore(journal, entry.seq);
      if (entry.kind === 'allowance') {
        const worth = Math.min(perMonth ?? 0, Number.MAX_SAFE_INTEGER - issued);
        if (allowed.has(month) || entry.change.issued !== worth) return false;
        allowed.add(month);
      }
      const isDue = perMonth !== null && !allowed.has(month) && issued < Number.MAX_SAFE_INTEGER;
      if (isDue && !isOpening(entry)) return false;
      if (entry.asset === 'units') ({ available: units, issued } = entry.after);
    }
    return true;
  });
};

/** Units that come back into a month that is over expire at once; nothing else ever does. */
export const pastUnitsExpire: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const made = new Map<string, string>();
    return ledger.journal(accountId).every((entry) => {
      const { kind, change, refreshId, requestId } = entry;
      if (kind === 'reserve') made.set(`hold ${refreshId}`, monthOf(entry.atMs));
      if (kind === 'charge') made.set(`charge ${requestId}`, monthOf(entry.atMs));
      const isResolution = kind === 'settle' || kind === 'release';
      if (!isResolution && kind !== 'reverse') return kind === 'expire' || change.expired === 0;
      const ended = made.get(isResolution ? `hold ${refreshId}` : `charge ${requestId}`);
      const isPast = entry.asset === 'units' && ended !== monthOf(entry.atMs);
      return isPast ? change.available === 0 : change.expired === 0;
    });
  });
};

/** What a Project or a Credential paid and holds of this month, counted from the journal. */
function spentBefore(
  journal: readonly Entry[],
  seq: number,
  isIts: (entry: Entry) => boolean,
  month: string,
): number {
  const open = new Map<string | null, Entry>();
  let spent = 0;
  for (const entry of journal) {
    if (entry.seq >= seq) break;
    if (!isIts(entry)) continue;
    const id = entry.refreshId ?? entry.requestId;
    const isNow = monthOf(entry.atMs) === month;
    if (entry.kind === 'charge' && isNow) open.set(id, entry);
    if (entry.kind === 'reserve' && isNow) open.set(id, entry);
    if (entry.kind === 'reverse') open.delete(id);
    if (entry.kind === 'settle' || entry.kind === 'release') {
      if (open.delete(id)) spent += entry.change.consumed;
    }
  }
  for (const { change } of open.values()) spent += change.held + change.consumed;
  return spent;
}

function priceOf({ command, maxCredits, pageCount, priceVersion, productCode }: Entry): number {
  const list = priceLists.find(({ version }) => version === priceVersion);
  if (list === undefined) return 0;
  return command === 'reserve'
    ? Math.min(list.refreshReservation, maxCredits ?? list.refreshReservation)
    : (pageCount ?? 1) * pagePrice(list, productCode as PageProduct);
}

/** The cap of a purchase's Project or Credential before an entry; null without one. */
function capBefore(journal: readonly Entry[], entry: Entry, scope: 'project' | 'credential') {
  const { seq, projectId, credentialId } = entry;
  const cap =
    scope === 'project'
      ? configuredBefore(journal, seq, 'spend_cap', (set) => set.projectId === projectId)
      : configuredBefore(
          journal,
          seq,
          'credential_spend_cap',
          (set) => set.credentialId === credentialId,
        );
  return cap?.cap ?? null;
}

/**
 * A Project or a Credential is refused exactly when it would exceed its cap, and the refusal carries
 * the cap, the Project's where both are reached.
 */
export const capsAreKept: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const journal = ledger.journal(accountId);
    return journal.every((entry) => {
      const { command, kind, projectId, credentialId, refusal, seq, change } = entry;
      if (command !== 'reserve' && command !== 'charge') return true;
      if (projectId === null) return false;
      const month = monthOf(entry.atMs);
      const isIts = {
        project: (one: Entry) => one.projectId === projectId,
        credential: (one: Entry) => credentialId !== null && one.credentialId === credentialId,
      };
      const spentOf = (scope: 'project' | 'credential') =>
        spentBefore(journal, seq, isIts[scope], month);
      const price = kind === 'refuse' ? priceOf(entry) : change.held + change.consumed;
      const passed = spendCapScopes.find((scope) => {
        const cap = capBefore(journal, entry, scope);
        return cap !== null && spentOf(scope) + price > cap;
      });
      if (kind !== 'refuse') return passed === undefined;
      if (refusal?.code !== 'spend_cap_reached') return true;
      const { detail } = refusal;
      const resetsAt = Date.parse(detail.resets_at);
      return (
        passed !== undefined &&
        detail.scope === passed &&
        detail.cap === capBefore(journal, entry, passed) &&
        detail.spent === spentOf(passed) &&
        monthOf(resetsAt - 1) === monthOf(entry.atMs) &&
        monthOf(resetsAt) !== monthOf(entry.atMs)
      );
    });
  });
};

/**
 * From at least the threshold to below it: reported once, by the entry that crosses it. What an
 * account pays with has the allowance that is due, also right after a switch of the funding.
 */
export const warnsOncePerCrossing: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const journal = ledger.journal(accountId);
    const available = { credits: 0, units: 0 };
    let [issuedUnits, allowedMonth, isArmed] = [0, '', false];
    return journal.every((entry) => {
      available[entry.asset] = entry.after.available;
      if (entry.asset === 'units') issuedUnits = entry.after.issued;
      if (entry.kind === 'allowance') allowedMonth = monthOf(entry.atMs);
      const alert = configuredBefore(journal, entry.seq + 1, 'balance_alert')?.threshold ?? null;
      const perMonth = perMonthBefore(journal, entry.seq + 1);
      const isDue = perMonth !== null && allowedMonth !== monthOf(entry.atMs);
      const due = isDue ? Math.min(perMonth, Number.MAX_SAFE_INTEGER - issuedUnits) : 0;
      const payable = perMonth === null ? available.credits : available.units + due;
      const isEnough = alert !== null && payable >= alert;
      if (isOpening(entry)) {
        isArmed ||= entry.kind === 'allowance' && isEnough;
        return entry.lowBalance === null;
      }
      const isSet = entry.configured?.sets === 'balance_alert';
      const crosses = alert !== null && !isSet && isArmed && !isEnough;
      isArmed = isEnough;
      if (!crosses) return entry.lowBalance === null;
      return entry.lowBalance?.threshold === alert && entry.lowBalance.available === payable;
    });
  });
};

/** A balance read at a time shows what a command at that time would meet. */
export const readsAsItWillBe: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return played.every(({ result, met, before, entry }) => {
    if (result !== 'new') return true;
    const read = rules.unitsAt(periodStateOf(met), entry.atMs);
    return JSON.stringify(read) === JSON.stringify(before.balances.units);
  });
};
