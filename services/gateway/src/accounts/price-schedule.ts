import type { PriceList, PriceSchedule } from '@inventory/contracts/internal/ledger';
import { fromIsoTime } from '@inventory/runtime/clock';

/** The list of a schedule that is in force at a time: the highest version in effect. */
export function pricesInForce(schedule: PriceSchedule, nowMs: number): PriceList {
  const inEffect = schedule.announced.filter((list) => fromIsoTime(list.effective_at) <= nowMs);
  return inEffect.reduce<PriceList>(higherVersion, schedule);
}

/** The list that takes effect next, in front of any that it replaces; null where none is announced. */
export function nextPrices({ announced }: PriceSchedule): PriceList | null {
  const [first, ...others] = announced;
  return first === undefined ? null : others.reduce(earlier, first);
}

function higherVersion(left: PriceList, right: PriceList): PriceList {
  return right.version > left.version ? right : left;
}

function earlier(left: PriceList, right: PriceList): PriceList {
  const laterByMs = fromIsoTime(right.effective_at) - fromIsoTime(left.effective_at);
  if (laterByMs === 0) return higherVersion(left, right);
  return laterByMs < 0 ? right : left;
}
