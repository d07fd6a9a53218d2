/** A position in the order of an account: runs of watches last, by queue deadline, of equal ones by id. */
export interface QueuePosition {
  readonly id: string;
  /** It starts before this time or not at all. */
  readonly queueDeadlineMs: number;
  /** A run of a watch: everything else is before it. */
  readonly isWatch?: boolean;
}

/** A refresh whose scan has not started. */
export interface QueuedRefresh extends QueuePosition {
  readonly accountId: string;
  /** Platform account, application and context: one scan of it runs at a time. */
  readonly inventory: string;
  readonly appId: number;
  /** Null where no scan of the inventory reported its size. */
  readonly expectedPages: number | null;
}

export interface QueuedSum {
  readonly refreshes: number;
  readonly pages: number;
}

/** The queued refreshes of one account. */
export interface QueuedAccount {
  readonly accountId: string;
  /** A refresh of unknown size counts with the typical pages. */
  sum(typicalPages: number): QueuedSum;
  /**
   * The first refresh after this position that is not blocked. Of an inventory only the first refresh
   * is considered: others of it wait for its scan.
   */
  firstAfter(
    position: QueuePosition,
    ofApps: (appId: number) => boolean,
    isBlocked: (refresh: QueuedRefresh) => boolean,
  ): QueuedRefresh | undefined;
}

export type QueuedRefreshes = ReturnType<typeof createQueuedRefreshes>;

interface Count {
  refreshes: number;
  /** Expected pages, where they are known. */
  pages: number;
  unknown: number;
}

/** The refreshes of one account and application; runs of watches have lanes of their own. */
interface Lane {
  readonly appId: number;
  readonly isWatch: boolean;
  /** The first refresh of each inventory. */
  readonly heads: QueuedRefresh[];
  readonly byInventory: Map<string, QueuedRefresh[]>;
}

interface Account extends QueuedAccount {
  readonly count: Count;
  readonly lanes: Map<number, Lane>;
}

/**
 * Queued refreshes by account, kept sorted: what a plan reads costs the same however many wait
 * after it.
 */
export function createQueuedRefreshes(refreshes: Iterable<QueuedRefresh> = []) {
  const byId = new Map<string, QueuedRefresh>();
  const accounts = new Map<string, Account>();
  const ofApps = new Map<number, Count>();
  const ofInventories = new Map<string, Set<QueuedRefresh>>();

  function count(refresh: QueuedRefresh, sign: 1 | -1): void {
    for (const sum of [accountOf(refresh).count, countOf(refresh.appId)]) {
      sum.refreshes += sign;
      if (refresh.expectedPages === null) sum.unknown += sign;
      else sum.pages += sign * refresh.expectedPages;
    }
  }

  function accountOf({ accountId }: QueuedRefresh): Account {
    const account = accounts.get(accountId) ?? openAccount(accountId);
    accounts.set(accountId, account);
    return account;
  }

  function countOf(appId: number): Count {
    const sum = ofApps.get(appId) ?? newCount();
    ofApps.set(appId, sum);
    return sum;
  }

  function remove(id: string): void {
    const refresh = byId.get(id);
    if (!refresh) return;
    byId.delete(id);
    const others = ofInventories.get(refresh.inventory);
    others?.delete(refresh);
    if (others?.size === 0) ofInventories.delete(refresh.inventory);
    count(refresh, -1);
    const account = accountOf(refresh);
    removeFrom(laneOf(account, refresh), refresh);
    if (account.count.refreshes === 0) accounts.delete(account.accountId);
    if (countOf(refresh.appId).refreshes === 0) ofApps.delete(refresh.appId);
  }

  function put(refresh: QueuedRefresh): void {
    remove(refresh.id);
    byId.set(refresh.id, refresh);
    const others = ofInventories.get(refresh.inventory) ?? new Set();
    ofInventories.set(refresh.inventory, others.add(refresh));
    count(refresh, 1);
    addTo(laneOf(accountOf(refresh), refresh), refresh);
  }

  for (const refresh of refreshes) put(refresh);
  return {
    /** Adds a refresh, or replaces the one with its id. */
    put,
    remove,
    accounts: (): Iterable<QueuedAccount> => accounts.values(),
    ofInventory: (inventory: string): QueuedRefresh[] => [...(ofInventories.get(inventory) ?? [])],
    sum(typicalPages: number, isCounted: (appId: number) => boolean = () => true): QueuedSum {
      const sum = newCount();
      for (const [appId, { refreshes: more, pages, unknown }] of ofApps) {
        if (!isCounted(appId)) continue;
        sum.refreshes += more;
        sum.pages += pages;
        sum.unknown += unknown;
      }
      return toSum(sum, typicalPages);
    },
    /** Ids of refreshes whose queue deadline passed, at most `max`. */
    overdue(nowMs: number, max: number): string[] {
      const ids: string[] = [];
      for (const { lanes } of accounts.values()) {
        for (const { heads } of lanes.values()) {
          for (const { queueDeadlineMs, id } of heads) {
            if (queueDeadlineMs > nowMs || ids.length >= max) break;
            ids.push(id);
          }
        }
      }
      return ids;
    },
  };
}

const newCount = (): Count => ({ refreshes: 0, pages: 0, unknown: 0 });

function toSum({ refreshes, pages, unknown }: Count, typicalPages: number): QueuedSum {
  return { refreshes, pages: pages + unknown * typicalPages };
}

function openAccount(accountId: string): Account {
  const count = newCount();
  const lanes = new Map<number, Lane>();
  return {
    accountId,
    count,
    lanes,
    sum: (typicalPages) => toSum(count, typicalPages),
    firstAfter(position, ofApps, isBlocked) {
      let first: QueuedRefresh | undefined;
      for (const { appId, isWatch, heads } of lanes.values()) {
        if (!ofApps(appId) || (position.isWatch && !isWatch)) continue;
        // The runs of watches begin after every other refresh.
        let index = isWatch && !position.isWatch ? 0 : indexAfter(heads, position);
        let refresh = heads[index];
        while (refresh && isBlocked(refresh)) {
          index += 1;
          refresh = heads[index];
        }
        if (refresh && (!first || compare(refresh, first) < 0)) first = refresh;
      }
      return first;
    },
  };
}

function laneOf({ lanes }: Account, { appId, isWatch = false }: QueuedRefresh): Lane {
  const key = isWatch ? 0 - appId : appId;
  const lane = lanes.get(key) ?? { appId, isWatch, heads: [], byInventory: new Map() };
  lanes.set(key, lane);
  return lane;
}

function addTo({ heads, byInventory }: Lane, refresh: QueuedRefresh): void {
  const ofInventory = byInventory.get(refresh.inventory) ?? [];
  byInventory.set(refresh.inventory, ofInventory);
  const [head] = ofInventory;
  insert(ofInventory, refresh);
  if (ofInventory[0] !== refresh) return;
  if (head) removeSorted(heads, head);
  insert(heads, refresh);
}

function removeFrom({ heads, byInventory }: Lane, refresh: QueuedRefresh): void {
  const ofInventory = byInventory.get(refresh.inventory) ?? [];
  const isHead = ofInventory[0] === refresh;
  removeSorted(ofInventory, refresh);
  if (!isHead) return;
  removeSorted(heads, refresh);
  const [head] = ofInventory;
  if (head) insert(heads, head);
  else byInventory.delete(refresh.inventory);
}

function insert(sorted: QueuedRefresh[], refresh: QueuedRefresh): void {
  sorted.splice(indexAfter(sorted, refresh), 0, refresh);
}

function removeSorted(sorted: QueuedRefresh[], refresh: QueuedRefresh): void {
  sorted.splice(indexAfter(sorted, refresh) - 1, 1);
}

/** The number of refreshes up to and at this position. */
function indexAfter(sorted: readonly QueuedRefresh[], position: QueuePosition): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = sorted[middle];
    if (other && compare(other, position) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

export function compare(left: QueuePosition, right: QueuePosition): number {
  const byClass = Number(left.isWatch ?? false) - Number(right.isWatch ?? false);
  if (byClass !== 0) return byClass;
  if (left.queueDeadlineMs !== right.queueDeadlineMs) {
    return left.queueDeadlineMs - right.queueDeadlineMs;
  }
  return left.id < right.id ? -1 : Number(left.id > right.id);
}
