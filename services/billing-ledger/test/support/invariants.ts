import { fundingIsFixed, holdsAddUp, isConserved, isSolvent } from './balance-invariants.ts';
import { accountsAreApart, stateIsTheFold, timeGoesOn } from './journal-invariants.ts';
import {
  capsAreKept,
  monthsBeginOnce,
  pastUnitsExpire,
  readsAsItWillBe,
  warnsOncePerCrossing,
} from './month-invariants.ts';
import {
  agreesWithTheModel,
  outcomesAreTheEntries,
  outcomesStick,
  refusalsMoveNothing,
} from './outcome-invariants.ts';
import {
  chargesBySize,
  holdsWithinMaxCredits,
  pricesAreFixed,
  refusesOnlyTheShort,
  reversesOnce,
} from './price-invariants.ts';
import type { Invariant } from './run-program.ts';

/** By the numbers of the service's README. */
export const invariants = {
  1: isConserved,
  2: isSolvent,
  3: holdsAddUp,
  4: chargesBySize,
  5: refusesOnlyTheShort,
  6: outcomesStick,
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
  23: holdsWithinMaxCredits,
  model: agreesWithTheModel,
} as const satisfies Record<string, Invariant>;
export type InvariantName = keyof typeof invariants;
