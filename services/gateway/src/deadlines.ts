/**
 * How long a step may take before it counts as failed, where no deployment needs another value.
 * Read at each step: a test moves them while a service runs.
 */
export interface Deadlines {
  /** A connection on which nothing moves: a client that takes nothing must not hold a page for ever. */
  readonly silenceMs: number;
  /** Finding what a secret stands for. */
  readonly findMs: number;
  /** Storing or deleting a charge intent; storing a pending cancel. */
  readonly storeMs: number;
  /** One step with an Idempotency-Key, a capture or the count of requests. */
  readonly lookUpMs: number;
  /** Longest wait for the reply to a pending command, which is re-sent after it. */
  readonly pendingReplyMs: number;
  /** The ledger's answer to an operator's command. */
  readonly ledgerAnswerMs: number;
  /** A report of usage: a month of a busy account is some seconds of reading. */
  readonly usageMs: number;
  /** Erasing an inventory: a large one is thousands of blocks to delete. */
  readonly eraseMs: number;
  /** An item of a batch that has not begun by then is refused. */
  readonly batchMs: number;
  /** A repetition of a page read waits so long for the first attempt with its key. */
  readonly undecidedReadMs: number;
  /** A repetition of a refresh waits so long for the first attempt with its key. */
  readonly undecidedRefreshMs: number;
  /** One second of `wait`. */
  readonly waitSecondMs: number;
  /** A notification can be lost with its broker, or be late: the collector is read all the same. */
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
  waitSecondMs: 1_000,
  waitReadEveryMs: 5_000,
};
