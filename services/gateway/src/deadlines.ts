export type Deadlines = Readonly<typeof standardDeadlines>;

/**
 * Deadlines of steps, where no deployment needs another value. Read at each step, so that a test
 * can change them while a service runs.
 */
export const standardDeadlines = {
  /** Longest time without traffic on a connection, so that an idle client does not hold a page. */
  silenceMs: 120_000,
  /** Finding the Principal of a secret. */
  findMs: 5_000,
  /** Storing or deleting a charge intent; storing a pending cancel; acquiring a stream slot. */
  storeMs: 5_000,
  /** One read or write of an Idempotency-Key, a capture or a rate window. */
  lookUpMs: 3_000,
  /** Longest wait for the reply to a pending command, which is re-sent after it. */
  pendingReplyMs: 5_000,
  /** The ledger's outcome of an operator's command. */
  ledgerReplyMs: 10_000,
  /** A usage report: a month of a busy account takes seconds to read. */
  usageMs: 15_000,
  /** Erasing an inventory: a large one has thousands of blocks. */
  eraseMs: 25_000,
  /** An item of a batch that has not started by then is refused. */
  batchMs: 15_000,
  /** Longest wait of a repeated page read for the first attempt with its key. */
  undecidedReadMs: 2_000,
  /** Longest wait of a repeated refresh for the first attempt with its key. */
  undecidedRefreshMs: 2_000,
  /** Delay of the refusal of an unknown key that is one of too many: one a second and connection. */
  unknownKeyDelayMs: 1_000,
  /** Age past which the status of the service is read again. */
  statusAgeMs: 5_000,
  /** One second of `wait`. */
  waitSecondMs: 1_000,
  /** Interval of the reads of a wait: a notification may be lost or late. */
  waitReadEveryMs: 5_000,
};
