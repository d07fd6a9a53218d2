import { type Balances, isConserved, noBalances } from './balances.domain.ts';

/**
 * Entry kinds are templates: each moves amounts between fixed balances, and each nets to zero for
 * every amount because it is built from one. `refuse` and `configure` move nothing. `allowance`
 * and `expire` begin a month of subscription units, without a command.
 */
export const entryKinds = [
  'grant',
  'adjust',
  'reserve',
  'settle',
  'release',
  'charge',
  'reverse',
  'refuse',
  'configure',
  'allowance',
  'expire',
] as const;
export type EntryKind = (typeof entryKinds)[number];

export const nothingMoved: Balances = noBalances;

/** Issuance to available; an adjustment may be negative. */
export function issue(amount: number): Balances {
  return { available: amount, held: 0, consumed: 0, expired: 0, issued: amount };
}

/** Available to held. */
export function hold(amount: number): Balances {
  return { available: 0 - amount, held: amount, consumed: 0, expired: 0, issued: 0 };
}

/** Held to consumed and, for what remains, back to available, or to expired where its period is over. */
export function resolve(charged: number, released: number, expires: boolean): Balances {
  return {
    available: expires ? 0 : released,
    held: 0 - charged - released,
    consumed: charged,
    expired: expires ? released : 0,
    issued: 0,
  };
}

/** Available to consumed. */
export function consume(amount: number): Balances {
  return { available: 0 - amount, held: 0, consumed: amount, expired: 0, issued: 0 };
}

/** Consumed to available, or to expired where its period is over. */
export function refund(amount: number, expires: boolean): Balances {
  return {
    available: expires ? 0 : amount,
    held: 0,
    consumed: 0 - amount,
    expired: expires ? amount : 0,
    issued: 0,
  };
}

/** Available to expired. */
export function expire(amount: number): Balances {
  return { available: 0 - amount, held: 0, consumed: 0, expired: amount, issued: 0 };
}

/** What a resolution or reversal gave back, whether or not it can be used again. */
export function returnedAmount({ available, expired }: Balances): number {
  return available + expired;
}

/** Whether a movement is one that its kind can make. */
export function fitsTemplate(kind: EntryKind, movement: Balances): boolean {
  const { available, held, consumed, expired, issued } = movement;
  if (!isConserved(movement)) return false;
  switch (kind) {
    case 'grant':
    case 'allowance':
      return held === 0 && consumed === 0 && expired === 0 && issued >= 1;
    case 'adjust':
      return held === 0 && consumed === 0 && expired === 0;
    case 'reserve':
      return issued === 0 && consumed === 0 && expired === 0 && held >= 0;
    case 'settle':
      return issued === 0 && consumed >= 0 && available >= 0 && expired >= 0;
    case 'release':
      return issued === 0 && consumed === 0 && available >= 0 && expired >= 0;
    case 'charge':
      return issued === 0 && held === 0 && expired === 0 && consumed >= 0;
    case 'reverse':
      return issued === 0 && held === 0 && consumed <= 0 && available >= 0 && expired >= 0;
    case 'expire':
      return issued === 0 && held === 0 && consumed === 0 && expired >= 1;
    case 'refuse':
    case 'configure':
      return available === 0 && held === 0 && consumed === 0 && expired === 0 && issued === 0;
  }
}
