import type { BillingConfiguration } from '@inventory/contracts/messages/billing';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import type { HeldProduct, LedgerAsset } from '@inventory/contracts/vocabulary';
import type { Command, CommandOf } from '../../src/accounts/command.domain.ts';
import { isComplete, type Step } from './program.ts';

/**
 * A ledger as a beginner would write it: one mutable book, perfect memory, no journal, no fold, no
 * keys. It shares nothing with the product but the shapes of its inputs.
 */
export interface ModelReply {
  readonly fate: 'applied' | 'refused' | 'repeated' | 'precluded' | 'conflict';
  readonly code: string | null;
  readonly available: number;
  readonly held: number;
  readonly consumed: number;
  /** What is available where the owner is to be warned. */
  readonly low: number | null;
}

interface Hold {
  asset: LedgerAsset;
  amount: number;
  list: PriceList;
  month: string;
  project: string;
  credential: string | null;
  product: HeldProduct;
}
interface Payment {
  asset: LedgerAsset;
  price: number;
  month: string;
  project: string;
  credential: string | null;
}
interface Book {
  free: Record<LedgerAsset, number>;
  spent: Record<LedgerAsset, number>;
  holds: Map<string, Hold>;
  /** Refresh → reserve command that was answered. */
  reserves: Map<string, string>;
  /** Refreshes whose hold has ended, or never will begin. */
  ended: Set<string>;
  blockedReserves: Set<string>;
  charges: Map<string, { content: string; paid: Payment | null }>;
  reversed: Set<string>;
  blockedCharges: Set<string>;
  issues: Map<string, string>;
  lastAt: number;
  /** Units that were not used in their month. */
  lost: number;
  perMonth: number | null;
  lastAllowance: string;
  caps: Map<string, number>;
  /** By month and Project, and by month and Credential: what was paid and what is held. */
  bought: Map<string, number>;
  alert: { threshold: number; armed: boolean } | null;
}

export function createReferenceModel(lists: readonly PriceList[]) {
  const books = new Map<string, Book>();

  function replyTo(step: Step): ModelReply {
    const { accountId } = step.command.body;
    const known = bookOf(accountId);
    const at = Math.max(step.now, known.lastAt);
    // Only what is new begins a month, so a month is begun in a copy first.
    const book = monthOf(known.lastAt) === monthOf(at) && !known.perMonth ? known : copy(known);
    beginMonth(book, at);
    const priced = pricedAt(step.command, at);
    const list =
      lists.findLast((candidate) => candidate.effectiveAtMs <= priced) ?? (lists[0] as PriceList);
    const [fate, code, asset] = decide(book, step, { list, month: monthOf(at) });
    if (fate !== 'applied' && fate !== 'refused') {
      return { fate, code, ...totals(known, asset), low: null };
    }
    books.set(accountId, book);
    book.lastAt = at;
    return { fate, code, ...totals(book, asset), low: warn(book, step.command, at) };
  }

  function bookOf(accountId: string): Book {
    const known = books.get(accountId) ?? newBook();
    books.set(accountId, known);
    return known;
  }

  return { replyTo };
}

/** The price is that of the moment when it was sent, where that can be. */
function pricedAt(command: Command, at: number): number {
  const { writtenAtMs } = command;
  const isPossible = writtenAtMs <= at + 5_000 && writtenAtMs >= at - 60 * 86_400_000;
  return isPossible ? writtenAtMs : at;
}

const monthOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 7);
const copy = (book: Book): Book => structuredClone(book);
const assetOf = (book: Book): LedgerAsset => (book.perMonth === null ? 'credits' : 'units');
const issuedUnits = (book: Book) => {
  const { available, held, consumed } = totals(book, 'units');
  return BigInt(available) + BigInt(held) + BigInt(consumed) + BigInt(book.lost);
};

/** Whatever is left of another month is lost; then comes what this month is worth. */
function beginMonth(book: Book, at: number): void {
  if (book.free.units > 0 && monthOf(book.lastAt) < monthOf(at)) {
    book.lost += book.free.units;
    book.free.units = 0;
  }
  if (book.perMonth !== null && book.lastAllowance < monthOf(at)) {
    const room = 2n ** 53n - 1n - issuedUnits(book);
    const worth = room < BigInt(book.perMonth) ? Number(room) : book.perMonth;
    if (worth > 0) {
      book.free.units += worth;
      book.lastAllowance = monthOf(at);
      if (book.alert && book.free.units >= book.alert.threshold) book.alert.armed = true;
    }
  }
}

function warn(book: Book, command: Command, at: number): number | null {
  const { alert } = book;
  if (!alert) return null;
  // A switch to a subscription has its month at once.
  const begun = copy(book);
  beginMonth(begun, at);
  const left = begun.free[assetOf(book)];
  const isSet =
    command.type === 'billing.configure.v1' && command.body.change.sets === 'balance_alert';
  const warns = alert.armed && left < alert.threshold && !isSet;
  alert.armed = left >= alert.threshold;
  return warns ? left : null;
}

type Buyers = Pick<Payment, 'project' | 'credential'>;
const buyersOf = ({ project, credential }: Buyers) => [project, credential ?? []].flat();

function wouldPassCap(book: Book, buyers: Buyers, month: string, price: number): boolean {
  return buyersOf(buyers).some((buyer) => {
    const bought = book.bought.get(`${month} ${buyer}`) ?? 0;
    return bought + price > (book.caps.get(buyer) ?? Number.POSITIVE_INFINITY);
  });
}

function buy(book: Book, buyers: Buyers, month: string, price: number): void {
  for (const buyer of buyersOf(buyers)) {
    const key = `${month} ${buyer}`;
    book.bought.set(key, (book.bought.get(key) ?? 0) + price);
  }
}

function refund(book: Book, made: Omit<Payment, 'price'>, amount: number, month: string): void {
  buy(book, made, made.month, 0 - amount);
  if (made.asset === 'units' && made.month !== month) book.lost += amount;
  else book.free[made.asset] += amount;
}

type Decision = [ModelReply['fate'], string | null, LedgerAsset];

function decide(
  book: Book,
  { command }: Step,
  { list, month }: { list: PriceList; month: string },
): Decision {
  const funding = assetOf(book);
  switch (command.type) {
    case 'billing.reserve.v1': {
      const content = `${command.body.projectId} ${command.body.productCode}`;
      const before = book.reserves.get(command.body.refreshId);
      if (before !== undefined)
        return [before === content ? 'repeated' : 'conflict', null, funding];
      if (book.blockedReserves.has(command.body.refreshId))
        return ['precluded', 'hold_unknown', funding];
      book.reserves.set(command.body.refreshId, content);
      const amount = Math.min(list.refreshReservation, command.body.maxCredits);
      if (book.free[funding] < amount) return ['refused', `insufficient_${funding}`, funding];
      const { projectId: project, credentialId: credential } = command.body;
      if (wouldPassCap(book, { project, credential }, month, amount))
        return ['refused', 'spend_cap_reached', funding];
      book.free[funding] -= amount;
      buy(book, { project, credential }, month, amount);
      book.holds.set(command.body.refreshId, {
        ...{ asset: funding, amount, list, month, project, credential },
        product: command.body.productCode,
      });
      return ['applied', null, funding];
    }
    case 'billing.settle.v1':
    case 'billing.release.v1': {
      if (book.ended.has(command.body.refreshId)) return ['repeated', null, funding];
      book.ended.add(command.body.refreshId);
      const hold = book.holds.get(command.body.refreshId);
      if (!hold) {
        if (!book.reserves.has(command.body.refreshId))
          book.blockedReserves.add(command.body.refreshId);
        return ['refused', 'hold_unknown', funding];
      }
      const price =
        command.type === 'billing.release.v1' ? 0 : Math.min(hold.amount, cost(command, hold));
      book.holds.delete(command.body.refreshId);
      refund(book, hold, hold.amount - price, month);
      book.spent[hold.asset] += price;
      return ['applied', null, hold.asset];
    }
    case 'billing.charge.v1': {
      const content = `${command.body.projectId} ${command.body.productCode} ${command.body.pageCount ?? 1}`;
      const before = book.charges.get(command.body.requestId);
      if (before) return [before.content === content ? 'repeated' : 'conflict', null, funding];
      if (book.blockedCharges.has(command.body.requestId))
        return ['precluded', 'already_reversed', funding];
      const isLive = command.body.productCode === 'platform.inventory.page.v1';
      const price = (command.body.pageCount ?? 1) * (isLive ? list.livePage : list.currentPage);
      const { projectId: project, credentialId: credential } = command.body;
      const isShort = book.free[funding] < price;
      const isCapped = wouldPassCap(book, { project, credential }, month, price);
      const paid =
        isShort || isCapped ? null : { asset: funding, price, month, project, credential };
      book.charges.set(command.body.requestId, { content, paid });
      if (isShort) return ['refused', `insufficient_${funding}`, funding];
      if (isCapped) return ['refused', 'spend_cap_reached', funding];
      book.free[funding] -= price;
      buy(book, { project, credential }, month, price);
      book.spent[funding] += price;
      return ['applied', null, funding];
    }
    case 'billing.reverse.v1': {
      if (book.reversed.has(command.body.requestId)) return ['repeated', null, funding];
      book.reversed.add(command.body.requestId);
      const charge = book.charges.get(command.body.requestId);
      if (!charge) book.blockedCharges.add(command.body.requestId);
      if (!charge?.paid) return ['refused', 'charge_unknown', funding];
      refund(book, charge.paid, charge.paid.price, month);
      book.spent[charge.paid.asset] -= charge.paid.price;
      return ['applied', null, charge.paid.asset];
    }
    case 'billing.grant.v1':
    case 'billing.adjust.v1': {
      const { asset, amount } = command.body;
      const content = `${asset} ${amount} ${command.body.reason}`;
      const before = book.issues.get(command.body.commandId);
      if (before !== undefined) return [before === content ? 'repeated' : 'conflict', null, asset];
      book.issues.set(command.body.commandId, content);
      if (book.free[asset] + amount < 0) return ['refused', `insufficient_${asset}`, asset];
      const { available, held, consumed } = totals(book, asset);
      const isTooMuch =
        BigInt(available) +
          BigInt(held) +
          BigInt(consumed) +
          BigInt(asset === 'units' ? book.lost : 0) +
          BigInt(amount) >=
        2n ** 53n;
      if (isTooMuch) return ['refused', 'balance_limit_exceeded', asset];
      book.free[asset] += amount;
      return ['applied', null, asset];
    }
    case 'billing.configure.v1': {
      const content = JSON.stringify(command.body.change);
      const before = book.issues.get(command.body.commandId);
      if (before !== undefined)
        return [before === content ? 'repeated' : 'conflict', null, funding];
      book.issues.set(command.body.commandId, content);
      configure(book, command.body.change);
      return ['applied', null, assetOf(book)];
    }
  }
}

function configure(book: Book, change: BillingConfiguration): void {
  if (change.sets === 'funding') {
    book.perMonth = change.funding.mode === 'credits' ? null : change.funding.unitsPerMonth;
  } else if (change.sets === 'balance_alert') {
    book.alert = change.threshold === null ? null : { threshold: change.threshold, armed: false };
  } else {
    const owner = change.sets === 'spend_cap' ? change.projectId : change.credentialId;
    if (change.cap === null) book.caps.delete(owner);
    else book.caps.set(owner, change.cap);
  }
}

function cost(
  command: CommandOf<'settle'>,
  { list, product }: { readonly list: PriceList; readonly product: HeldProduct },
): number {
  const { outcome, observedAssets } = command.body;
  if (isComplete(outcome)) {
    const isWatch = product === 'platform.inventory.watch.v1';
    const isQuarter = isWatch && outcome === 'complete_unchanged';
    const size = BigInt(list.refreshBlockAssets) * (isQuarter ? 4n : 1n);
    const ofWatch = isQuarter ? list.watchUnchangedBlock : list.watchChangedBlock;
    const blocks = (BigInt(observedAssets ?? 0) + size - 1n) / size;
    return Number(blocks * BigInt(isWatch ? ofWatch : list.refreshBlock));
  }
  return outcome === 'private' || outcome === 'not_found' ? list.refreshDiagnostic : 0;
}

function totals(book: Book, asset: LedgerAsset) {
  const held = [...book.holds.values()]
    .filter((hold) => hold.asset === asset)
    .reduce((sum, hold) => sum + hold.amount, 0);
  return { available: book.free[asset], held, consumed: book.spent[asset] };
}

function newBook(): Book {
  return {
    free: { credits: 0, units: 0 },
    spent: { credits: 0, units: 0 },
    holds: new Map(),
    reserves: new Map(),
    ended: new Set(),
    blockedReserves: new Set(),
    charges: new Map(),
    reversed: new Set(),
    blockedCharges: new Set(),
    issues: new Map(),
    lastAt: 0,
    lost: 0,
    perMonth: null,
    lastAllowance: '',
    caps: new Map(),
    bought: new Map(),
    alert: null,
  };
}
