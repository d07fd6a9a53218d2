/**
 * Where the amounts of one asset of an account are. What was issued is in exactly one of the
 * other four balances, so `issued` is always their sum. A movement has the same shape, signed.
 */
export interface Balances {
  readonly available: number;
  readonly held: number;
  readonly consumed: number;
  /** Granted for a period that has ended. */
  readonly expired: number;
  readonly issued: number;
}

export const noBalances: Balances = {
  available: 0,
  held: 0,
  consumed: 0,
  expired: 0,
  issued: 0,
};

/** The largest amount that is still exact in a message and in a stored document. */
export const amountMax = Number.MAX_SAFE_INTEGER;

export function plus(balances: Balances, movement: Balances): Balances {
  return {
    available: balances.available + movement.available,
    held: balances.held + movement.held,
    consumed: balances.consumed + movement.consumed,
    expired: balances.expired + movement.expired,
    issued: balances.issued + movement.issued,
  };
}

/** Nothing appeared and nothing vanished: holds for every balance and for every movement. */
export function isConserved(amounts: Balances): boolean {
  return amounts.issued === amounts.available + amounts.held + amounts.consumed + amounts.expired;
}

/** Every amount is an exact whole number of at least zero. */
export function isSolvent(balances: Balances): boolean {
  return (
    isAmount(balances.available) &&
    isAmount(balances.held) &&
    isAmount(balances.consumed) &&
    isAmount(balances.expired) &&
    isAmount(balances.issued)
  );
}

export function areEqual(left: Balances, right: Balances): boolean {
  return (
    left.available === right.available &&
    left.held === right.held &&
    left.consumed === right.consumed &&
    left.expired === right.expired &&
    left.issued === right.issued
  );
}

function isAmount(value: number): boolean {
  return value >= 0 && Number.isSafeInteger(value);
}
