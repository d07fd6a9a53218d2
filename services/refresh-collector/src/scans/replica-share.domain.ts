/** A scan that this replica reads. */
export interface OwnScan {
  readonly refreshId: string;
  readonly pagesLeft: number;
  readonly deadlineMs: number;
  /** When this replica started or took it. */
  readonly sinceMs: number;
}

export interface ReplicaShare {
  /** Pages of running scans that this replica should have. */
  readonly partPages: number;
  /** Where no slot is free: scans that wait for one and that no other replica took, earliest first. */
  readonly overdue: readonly { readonly deadlineMs: number }[];
  readonly nowMs: number;
}

/** One page is read before a hand-over is worth its writes. */
const movedPagesMin = 2;
/** A scan that no other replica took came back: it is not handed over at once again. */
const movedAfterMs = 5_000;

/** The scans of this replica that other ones should read, or that should wait for a slot. */
export function scansToHandOver(scans: readonly OwnScan[], share: ReplicaShare): OwnScan[] {
  return [...new Set([...scansAbovePart(scans, share), ...scansPreempted(scans, share)])];
}

/**
 * Those with most pages left, as long as this replica keeps its part of all pages: it never wants back
 * what it hands over.
 */
function scansAbovePart(scans: readonly OwnScan[], { partPages, nowMs }: ReplicaShare): OwnScan[] {
  let pages = scans.reduce((sum, { pagesLeft }) => sum + pagesLeft, 0);
  const movable = scans.filter(
    ({ pagesLeft, sinceMs }) =>
      pagesLeft >= movedPagesMin && Math.abs(nowMs - sinceMs) >= movedAfterMs,
  );
  return movable
    .toSorted((left, right) => right.pagesLeft - left.pagesLeft)
    .filter(({ pagesLeft }) => {
      if (pages - pagesLeft < partPages) return false;
      pages -= pagesLeft;
      return true;
    });
}

/**
 * Those with the latest deadlines, where the waiting ones have earlier: more scans run than there are
 * slots after a replica was lost, and then those with the earliest deadlines are read.
 */
function scansPreempted(scans: readonly OwnScan[], { overdue }: ReplicaShare): OwnScan[] {
  const latestFirst = scans.toSorted((left, right) => right.deadlineMs - left.deadlineMs);
  return latestFirst.filter(
    ({ deadlineMs }, index) =>
      deadlineMs > (overdue[index]?.deadlineMs ?? Number.POSITIVE_INFINITY),
  );
}
