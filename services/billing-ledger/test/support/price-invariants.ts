import type { PriceList } from '@inventory/contracts/messages/price-list';
import type { Command } from '../../src/accounts/command.domain.ts';
import type { Entry } from '../../src/accounts/entry.domain.ts';
import { listHolds } from '../../src/accounts/hold-set.domain.ts';
import { fundingAsset } from '../../src/accounts/terms.domain.ts';
import { accounts, isComplete, type Program, priceLists, secondPriceList } from './program.ts';
import {
  type Invariant,
  newEntries,
  type Played,
  playProgram,
  type Rules,
  runProgram,
} from './run-program.ts';

const dayMs = 86_400_000;

/** The price of a refresh, or of a run of a watch, as the price page says it. */
function priceOf(entry: Entry, reserved: number, list: PriceList): number {
  if (entry.outcome === null) return 0;
  if (isComplete(entry.outcome)) {
    const blocksOf = (assets: number) => Math.ceil((entry.observedAssets ?? 0) / assets);
    const { refreshBlockAssets: size, watchChangedBlock, watchUnchangedBlock } = list;
    const ofRun =
      entry.outcome === 'complete_changed'
        ? blocksOf(size) * watchChangedBlock
        : blocksOf(4 * size) * watchUnchangedBlock;
    const isRun = entry.productCode === 'platform.inventory.watch.v1';
    return Math.min(reserved, isRun ? ofRun : blocksOf(size) * list.refreshBlock);
  }
  return ['private', 'not_found'].includes(entry.outcome) ? list.refreshDiagnostic : 0;
}

export const chargesBySize: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return newEntries(played)
    .filter(({ entry }) => entry.kind === 'settle' || entry.kind === 'release')
    .every(({ before, entry, step }) => {
      const hold = listHolds(before.holds).find(({ refreshId }) => refreshId === entry.refreshId);
      const list = priceLists.find(({ version }) => version === hold?.priceVersion);
      if (!hold || !list) return false;
      const { consumed: charged, available, expired } = entry.change;
      const released = available + expired;
      const outcome = step.command.type === 'billing.settle.v1' ? step.command.body.outcome : null;
      return (
        entry.outcome === outcome &&
        charged + released === hold.amount &&
        charged === priceOf(entry, hold.amount, list)
      );
    });
};

export const pricesAreFixed: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  if (!newEntries(played).every(isOfItsTime) || !isReplayedAlike(rules, program)) return false;
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

const listAt = (timeMs: number) =>
  timeMs >= secondPriceList.effectiveAtMs ? secondPriceList : priceLists[0];

const isPurchase = ({ command }: Entry) => command === 'reserve' || command === 'charge';

/** A command was written at most 60 days before it is booked, and by a clock at most 5 s ahead. */
function pricedAt({ entry: { atMs }, step }: Played): number {
  const { writtenAtMs } = step.command;
  const isPossible = writtenAtMs <= atMs + 5_000 && writtenAtMs >= atMs - 60 * dayMs;
  return isPossible ? writtenAtMs : atMs;
}

/** What is bought is bought at the prices of the moment it was sent, whatever was announced and replaced. */
function isOfItsTime(played: Played): boolean {
  const { entry } = played;
  return !isPurchase(entry) || entry.priceVersion === listAt(pricedAt(played))?.version;
}

/** Ten days later the same commands are bought at the same prices, as far as their times are possible. */
function isReplayedAlike(rules: Rules, program: Program): boolean {
  const { played } = runProgram(rules, program);
  const later = program.map((step) => ({ ...step, now: step.now + 10 * dayMs }));
  const replayed = playProgram(rules, later).played;
  return newEntries(played).every((first) => {
    const { entry, step } = first;
    const again = replayed.find((one) => one.step.command === step.command);
    const isPossible = pricedAt(first) === step.command.writtenAtMs;
    if (!isPurchase(entry) || !isPossible || again?.result !== 'new') return true;
    return again.entry.priceVersion === entry.priceVersion;
  });
}

export const refusesOnlyTheShort: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return newEntries(played)
    .filter(({ step }) => step.command.type === 'billing.reserve.v1')
    .every((one) => {
      const { before, entry, step } = one;
      const list = listAt(pricedAt(one));
      const asset = fundingAsset(before.terms.funding);
      const wanted = Math.min(list?.refreshReservation ?? 0, limitOf(step.command));
      const isShort = before.balances[asset].available < wanted;
      if (entry.refusal?.code === 'spend_cap_reached') return !isShort;
      return entry.kind === (isShort ? 'refuse' : 'reserve');
    });
};

function limitOf(command: Command): number {
  return command.type === 'billing.reserve.v1' ? command.body.maxCredits : Number.POSITIVE_INFINITY;
}

/** What is held, and so what can be charged, is never above what the client allows. */
export const holdsWithinMaxCredits: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return newEntries(played)
    .filter(({ step }) => step.command.type === 'billing.reserve.v1')
    .every(({ entry, step }) => {
      const limit = limitOf(step.command);
      const list = priceLists.find(({ version }) => version === entry.priceVersion);
      const held = Math.min(list?.refreshReservation ?? 0, limit);
      if (entry.kind === 'reserve') return entry.change.held === held;
      const { refusal } = entry;
      const isShort =
        refusal?.code === 'insufficient_credits' || refusal?.code === 'insufficient_units';
      return isShort ? refusal.detail.required === held : refusal !== null;
    });
};

export const reversesOnce: Invariant = (rules, program) => {
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
