import { type Balances, isConserved, noBalances } from './balances.ts';

/**
 * Entry kinds are templates: each moves amounts between fixed places, and each nets to zero for
 * every amount because it is built from one. `refuse` moves nothing. Granted units that end with
 * their period will be a template of their own (available to expired).
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

/** Held to consumed and, for the rest, back to available. */
export function resolve(charged: number, released: number): Balances {
  return {
    available: released,
    held: 0 - charged - released,
    consumed: charged,
    expired: 0,
    issued: 0,
  };
}

/** Available to consumed. */
export function consume(amount: number): Balances {
  return { available: 0 - amount, held: 0, consumed: amount, expired: 0, issued: 0 };
}

/** Consumed back to available. */
export function giveBack(amount: number): Balances {
  return { available: amount, held: 0, consumed: 0 - amount, expired: 0, issued: 0 };
}

/** Whether a movement is one that its kind can make. */
export function fitsTemplate(kind: EntryKind, movement: Balances): boolean {
  const { available, held, consumed, expired, issued } = movement;
  if (!isConserved(movement) || expired !== 0) return false;
  switch (kind) {
    case 'grant':
      return held === 0 && consumed === 0 && issued >= 1;
    case 'adjust':
      return held === 0 && consumed === 0;
    case 'reserve':
      return issued === 0 && consumed === 0 && held >= 0;
    case 'settle':
      return issued === 0 && consumed >= 0 && available >= 0;
    case 'release':
      return issued === 0 && consumed === 0 && available >= 0;
    case 'charge':
      return issued === 0 && held === 0 && consumed >= 0;
    case 'reverse':
      return issued === 0 && held === 0 && consumed <= 0;
    case 'refuse':
      return available === 0 && held === 0 && consumed === 0 && issued === 0;
  }
}
