import type { AccountId } from '@inventory/contracts/ids';
import { type DayUsage, dayKeyOf, listDays } from '../../src/usage/usage.domain.ts';
import type { DayChange, UsagePosition, UsageStore } from '../../src/usage/usage-store.ts';

/** Runs one effect on the store, when its turn comes. */
export type CallStore = <Value>(effect: () => Value) => Promise<Value>;

/** The documents of a usage store; several connections share them. */
export interface UsageDocuments {
  readonly positions: Map<AccountId, UsagePosition>;
  readonly days: Map<AccountId, Map<string, DayUsage>>;
}

export function emptyUsage(): UsageDocuments {
  return { positions: new Map(), days: new Map() };
}

/** Guarantees that a store can lack, to see them missed. */
export interface UsageFaults {
  readonly overwritesDays?: boolean;
  readonly forgetsPositions?: boolean;
}

export function connectUsage(
  { positions, days }: UsageDocuments,
  call: CallStore,
  faults: UsageFaults = {},
): UsageStore {
  const ofAccount = (accountId: AccountId) => {
    const known = days.get(accountId) ?? new Map<string, DayUsage>();
    days.set(accountId, known);
    return known;
  };
  const write = (accountId: AccountId, { before, after }: DayChange) => {
    const stored = ofAccount(accountId).get(dayKeyOf(after)) ?? null;
    const isChanged = (stored?.throughSeq ?? null) !== (before?.throughSeq ?? null);
    if (isChanged && !faults.overwritesDays) return false;
    const throughSeq = faults.forgetsPositions ? 0 : after.throughSeq;
    ofAccount(accountId).set(dayKeyOf(after), { ...after, throughSeq });
    return true;
  };

  return {
    findPosition: (accountId) => call(() => positions.get(accountId) ?? null),
    advancePosition: (accountId, position) =>
      call(() => {
        const stored = positions.get(accountId)?.throughSeq ?? 0;
        if (stored < position.throughSeq) positions.set(accountId, position);
      }),
    findDays: (accountId, keys) =>
      call(() => keys.flatMap((key) => ofAccount(accountId).get(dayKeyOf(key)) ?? [])),
    listDays: (accountId, { fromDay, endDay, projectId }, limit) =>
      call(() =>
        listDays(ofAccount(accountId))
          .filter(({ day }) => day >= fromDay && day < endDay)
          .filter((one) => projectId === null || one.projectId === projectId)
          .slice(0, limit),
      ),
    saveDays: (accountId, changes) =>
      call(() => changes.map((change) => write(accountId, change)).every((isWritten) => isWritten)),
    listPositions: (after, limit) =>
      call(() =>
        [...positions]
          .map(([accountId, position]) => ({ accountId, ...position }))
          .filter(({ accountId }) => accountId > (after ?? ''))
          .sort((left, right) => (left.accountId < right.accountId ? -1 : 1))
          .slice(0, limit),
      ),
    async *scanDays({ after, upTo }) {
      for (const accountId of [...days.keys()].sort()) {
        if (accountId <= (after ?? '') || (upTo !== null && accountId > upTo)) continue;
        for (const day of listDays(ofAccount(accountId))) yield { ...day, accountId };
      }
    },
  };
}
