/**
 * Deadlines of steps, where no deployment needs another value. Read at each step, so that a test
 * can change them while a service runs.
 */
export interface Deadlines {
  /** Longest time without traffic on a connection, so that an idle client does not hold a page. */
  readonly silenceMs: number;
  /** Finding the Principal of a secret. */
  readonly findMs: number;
  /** Storing or deleting a charge intent; storing a pending cancel; acquiring a place of a stream. */
  readonly storeMs: number;
  /** One read or write of an Idempotency-Key, a capture or a rate window. */
  readonly lookUpMs: number;
  /** Longest wait for the reply to a pending command, which is re-sent after it. */
  readonly pendingReplyMs: number;
  /** The ledger's outcome of an operator's command. */
  readonly ledgerAnswerMs: number;
  /** A usage report: a month of a busy account takes seconds to read. */
  readonly usageMs: number;
  /** Erasing an inventory: a large one has thousands of blocks. */
  readonly eraseMs: number;
  /** An item of a batch that has not started by then is refused. */
  readonly batchMs: number;
  /** Longest wait of a repeated page read for the first attempt with its key. */
  readonly undecidedReadMs: number;
  /** Longest wait of a repeated refresh for the first attempt with its key. */
  readonly undecidedRefreshMs: number;
  /** Delay of the refusal of an unknown key that is not looked up: one a second and connection. */
  readonly unknownKeyDelayMs: number;
  /** Age past which the status of the service is read again. */
  readonly statusAgeMs: number;
  /** One second of `wait`. */
  readonly waitSecondMs: number;
  /** Interval of the reads of a wait: a notification may be lost or late. */
  readonly waitReadEveryMs: number;
}

export const standardDeadlines: Deadlines = {
  silenceMs: 120_000,
  findMs: 5_000,
  storeMs: 5_000,
  lookUpMs: 3_000,
  pendingReplyMs: 5_000,
  ledgerAnswerMs: 10_000,
  usageMs: 15_000,
  eraseMs: 25_000,
  batchMs: 15_000,
  undecidedReadMs: 2_000,
  undecidedRefreshMs: 2_000,
  unknownKeyDelayMs: 1_000,
  statusAgeMs: 5_000,
  waitSecondMs: 1_000,
  waitReadEveryMs: 5_000,
};
