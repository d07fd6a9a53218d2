/** Bounds of the live pages that one replica reads at the same time. */
export interface LivePageLimits {
  readonly seatsMax: number;
  readonly perAccountMax: number;
}

/** Room for live pages: what one account waits for never takes the room of all. */
export interface LivePageLimiter {
  /** The release of a seat, to be called once; null when there is none for this account. */
  take(accountId: string): (() => void) | null;
  readonly taken: number;
}

export function createLivePageLimiter({
  seatsMax,
  perAccountMax,
}: LivePageLimits): LivePageLimiter {
  const ofAccount = new Map<string, number>();
  let taken = 0;
  return {
    take(accountId) {
      const own = ofAccount.get(accountId) ?? 0;
      if (taken >= seatsMax || own >= perAccountMax) return null;
      taken += 1;
      ofAccount.set(accountId, own + 1);
      return () => {
        taken -= 1;
        const left = (ofAccount.get(accountId) ?? 1) - 1;
        if (left === 0) ofAccount.delete(accountId);
        else ofAccount.set(accountId, left);
      };
    },
    get taken() {
      return taken;
    },
  };
}
