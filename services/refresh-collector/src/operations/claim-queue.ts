import { type IdentityClaim, nextClaim } from '../domain/identity-claims.ts';

/** A claim that was picked and not yet served. */
export interface PickedClaim<Turn> {
  /** False when whoever claimed gave up meanwhile; the turn is then nobody's. */
  serve(turn: Turn): boolean;
  /** Waits again, at its old place. */
  putBack(): void;
}

/** Those who wait for a turn, served fairly. */
export interface ClaimQueue<Turn> {
  /** The turn, or undefined when the signal is aborted first. */
  wait(claim: Omit<IdentityClaim, 'order'>, signal: AbortSignal): Promise<Turn | undefined>;
  /** Takes out whoever is next for this identity. */
  pick(identityId: string): PickedClaim<Turn> | undefined;
  readonly size: number;
}

interface Entry<Turn> extends IdentityClaim {
  settled: boolean;
  readonly settle: (turn: Turn | undefined) => void;
}

/** Live pages go before scans; without this bound many of them would stop every scan. */
const liveInRowMax = 4;

export function createClaimQueue<Turn>(): ClaimQueue<Turn> {
  const waiting = new Set<Entry<Turn>>();
  let liveInRow = 0;
  const lastServed = new Map<string, number>();
  let order = 0;
  const nextOrder = (): number => {
    order += 1;
    return order;
  };

  return {
    wait(claim, signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const giveUp = () => entry.settle(undefined);
        const entry: Entry<Turn> = {
          ...claim,
          order: nextOrder(),
          settled: false,
          settle(turn) {
            entry.settled = true;
            signal.removeEventListener('abort', giveUp);
            waiting.delete(entry);
            resolve(turn);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(entry);
      });
    },
    pick(identityId) {
      const usable = [...waiting].filter((entry) => !entry.avoid.includes(identityId));
      const scans = usable.filter((entry) => !entry.live);
      const scanIsDue = liveInRow >= liveInRowMax && scans.length > 0;
      const entry = nextClaim(scanIsDue ? scans : usable, lastServed);
      if (!entry) return undefined;
      waiting.delete(entry);
      return {
        serve(turn) {
          if (entry.settled) return false;
          liveInRow = entry.live && scans.length > 0 ? liveInRow + 1 : 0;
          // Who does not wait any more loses its place in the order, and no memory is kept of it.
          if (waiting.size === 0) lastServed.clear();
          else lastServed.set(entry.accountId, nextOrder());
          entry.settle(turn);
          return true;
        },
        putBack() {
          if (!entry.settled) waiting.add(entry);
        },
      };
    },
    get size() {
      return waiting.size;
    },
  };
}
