import type { IdentityLimits } from '../egress/egress-identity.domain.ts';

export interface PlanRules {
  /** Longest time of collecting: the deadline that a scan gets when it starts. */
  readonly collectMs: number;
  /** Longest time in the queue. */
  readonly queueMs: number;
  /** Scans that keep every identity busy; more run only for accounts without a scan. */
  readonly busyScans: number;
  /** Egress identities: the most pages in flight. */
  readonly identities: number;
  /** Most scans at once, over all replicas. */
  readonly scansMax: number;
  readonly scansPerAccountMax: number;
  /** Part of the capacity that scans may reserve; the remainder is for live pages and retries. */
  readonly share: number;
  /** The largest size that a scan of unknown size is assumed to have. */
  readonly pagesMax: number;
}

/** Time in which a scan starts, stages a page and records it: it reads none then. */
const besideReadMs = 20;

/**
 * Scans that keep every identity busy: an identity reads one page at a time, and between two pages
 * of a scan its rate mostly makes it wait. Twice as many as read at the same moment, and as are busy
 * with what was read.
 */
export function busyScans(
  identities: number,
  { requestsPerMinute }: IdentityLimits,
  pageMs: number,
): number {
  const readingAtOnce = identities * Math.min(1, (requestsPerMinute * pageMs) / 60_000);
  const besideReads = identities * Math.min(1 / pageMs, requestsPerMinute / 60_000) * besideReadMs;
  return Math.ceil(2 * readingAtOnce) + Math.floor(2 * besideReads) + 1;
}

/** Fewer unreserved pages than this before a deadline make the scans due by then urgent. */
export const tightPages = (identities: number): number => 2 * identities;

/** Beside the part of live pages: for retries, and because a scan reads one page at a time. */
const margin = 0.05;
const unreservableMax = 0.5;

/** The part of the capacity that scans may reserve beside this part of live pages. */
export function scanShare(livePart: number): number {
  return 1 - Math.min(unreservableMax, livePart + margin);
}
