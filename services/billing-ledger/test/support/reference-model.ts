import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import type { Command } from '../../src/domain/command.ts';
import type { PriceList } from '../../src/domain/price-list.ts';
import { isComplete, type Step } from './program.ts';

/**
 * A ledger as a beginner would write it: one mutable book, perfect memory, no journal, no fold, no
 * keys. It shares nothing with the product but the shapes of its inputs.
 */
export interface ModelAnswer {
  readonly fate: 'applied' | 'refused' | 'repeated' | 'precluded' | 'conflict';
  readonly code: string | null;
  readonly available: number;
  readonly held: number;
  readonly consumed: number;
}

interface Hold {
  asset: LedgerAsset;
  amount: number;
  list: PriceList;
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
  charges: Map<string, { content: string; paid: { asset: LedgerAsset; price: number } | null }>;
  reversed: Set<string>;
  blockedCharges: Set<string>;
  issues: Map<string, string>;
  lastAt: number;
}

export function createReferenceModel(lists: readonly PriceList[]) {
  const books = new Map<string, Book>();

  function answer(step: Step): ModelAnswer {
    const book = bookOf(step.command.accountId);
    const at = Math.max(step.now, book.lastAt + 1);
    const list =
      lists.findLast((candidate) => candidate.effectiveAt <= at) ?? (lists[0] as PriceList);
    const [fate, code, asset] = decide(book, step, list);
    if (fate === 'applied' || fate === 'refused') book.lastAt = at;
    return { fate, code, ...totals(book, asset) };
  }

  function bookOf(accountId: string): Book {
    const known = books.get(accountId) ?? newBook();
    books.set(accountId, known);
    return known;
  }

  return { answer };
}

type Decision = [ModelAnswer['fate'], string | null, LedgerAsset];

function decide(book: Book, { command, funding }: Step, list: PriceList): Decision {
  switch (command.kind) {
    case 'reserve': {
      const content = `${command.projectId} ${command.productCode}`;
      const before = book.reserves.get(command.refreshId);
      if (before !== undefined)
        return [before === content ? 'repeated' : 'conflict', null, funding];
      if (book.blockedReserves.has(command.refreshId))
        return ['precluded', 'hold_unknown', funding];
      book.reserves.set(command.refreshId, content);
      const amount = list.refreshReservation;
      if (book.free[funding] < amount) return ['refused', `insufficient_${funding}`, funding];
      book.free[funding] -= amount;
      book.holds.set(command.refreshId, { asset: funding, amount, list });
      return ['applied', null, funding];
    }
    case 'settle':
    case 'release': {
      if (book.ended.has(command.refreshId)) return ['repeated', null, funding];
      book.ended.add(command.refreshId);
      const hold = book.holds.get(command.refreshId);
      if (!hold) {
        if (!book.reserves.has(command.refreshId)) book.blockedReserves.add(command.refreshId);
        return ['refused', 'hold_unknown', funding];
      }
      const price =
        command.kind === 'release' ? 0 : Math.min(hold.amount, cost(command, hold.list));
      book.holds.delete(command.refreshId);
      book.free[hold.asset] += hold.amount - price;
      book.spent[hold.asset] += price;
      return ['applied', null, hold.asset];
    }
    case 'charge': {
      const content = `${command.projectId} ${command.productCode}`;
      const before = book.charges.get(command.requestId);
      if (before) return [before.content === content ? 'repeated' : 'conflict', null, funding];
      if (book.blockedCharges.has(command.requestId))
        return ['precluded', 'already_reversed', funding];
      const isLive = command.productCode === 'platform.inventory.page.v1';
      const price = isLive ? list.livePage : list.currentPage;
      const isPaid = book.free[funding] >= price;
      book.charges.set(command.requestId, {
        content,
        paid: isPaid ? { asset: funding, price } : null,
      });
      if (!isPaid) return ['refused', `insufficient_${funding}`, funding];
      book.free[funding] -= price;
      book.spent[funding] += price;
      return ['applied', null, funding];
    }
    case 'reverse': {
      if (book.reversed.has(command.requestId)) return ['repeated', null, funding];
      book.reversed.add(command.requestId);
      const charge = book.charges.get(command.requestId);
      if (!charge) book.blockedCharges.add(command.requestId);
      if (!charge?.paid) return ['refused', 'charge_unknown', funding];
      book.free[charge.paid.asset] += charge.paid.price;
      book.spent[charge.paid.asset] -= charge.paid.price;
      return ['applied', null, charge.paid.asset];
    }
    case 'grant':
    case 'adjust': {
      const { asset, amount } = command;
      const content = `${asset} ${amount} ${command.reason}`;
      const before = book.issues.get(command.commandId);
      if (before !== undefined) return [before === content ? 'repeated' : 'conflict', null, asset];
      book.issues.set(command.commandId, content);
      if (book.free[asset] + amount < 0) return ['refused', `insufficient_${asset}`, asset];
      const { available, held, consumed } = totals(book, asset);
      const isTooMuch =
        BigInt(available) + BigInt(held) + BigInt(consumed) + BigInt(amount) >= 2n ** 53n;
      if (isTooMuch) return ['refused', 'balance_limit_exceeded', asset];
      book.free[asset] += amount;
      return ['applied', null, asset];
    }
  }
}

function cost(command: Extract<Command, { kind: 'settle' }>, list: PriceList): number {
  const { outcome, observedAssets } = command;
  if (isComplete(outcome)) {
    const blocks =
      (BigInt(observedAssets ?? 0) + BigInt(list.refreshBlockAssets) - 1n) /
      BigInt(list.refreshBlockAssets);
    return Number(blocks * BigInt(list.refreshBlock));
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
  };
}
