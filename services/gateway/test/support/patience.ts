import type { GatewayConfig } from '../../src/config.ts';
import type { Deadlines } from '../../src/deadlines.ts';

/** Far out: no test takes so long, however slow the machine is. */
export const farMs = 600_000;

export type TestLimits = GatewayConfig['pageReads'] &
  Pick<GatewayConfig, 'decisionTimeoutMs' | 'drainMs'>;

/** What must time out is given its own limits. They differ, so that a test can tell them apart. */
export const patientLimits: TestLimits = {
  decisionTimeoutMs: farMs + 1,
  chargeTimeoutMs: farMs + 2,
  deliverWithinMs: 6 * farMs,
  reverseAfterMs: farMs,
  readKeyKeepMs: 6 * farMs,
  drainMs: 500,
};

export const patientDeadlines: Deadlines = {
  silenceMs: farMs,
  findMs: farMs,
  storeMs: farMs,
  lookUpMs: farMs,
  pendingReplyMs: farMs,
  ledgerReplyMs: farMs,
  usageMs: farMs,
  eraseMs: farMs,
  batchMs: farMs,
  undecidedReadMs: farMs,
  undecidedRefreshMs: farMs,
  unknownKeyDelayMs: 0,
  statusAgeMs: 0,
  waitSecondMs: farMs,
  waitReadEveryMs: farMs,
};

export const patientLivePages: GatewayConfig['livePages'] = {
  liveWaitMs: farMs,
  liveTransferMs: farMs,
  limits: { perKeyMax: 66, totalMax: 68 },
  cursorAgeMaxMs: 86_400_000,
};

export const patientCaptures: GatewayConfig['captures'] = {
  chainDeadlineMs: 6 * farMs,
  stagingTimeoutMs: farMs,
  settleWithinMs: 6 * farMs,
  appsExcluded: [],
};

/** Where an answer never comes: nothing that comes must be awaited under them. */
export const impatientLimits = { decisionTimeoutMs: 300, chargeTimeoutMs: 300 } as const;

/** Where a test moves time: later than any real one, so that the store expires nothing. */
export const testStartMs = Date.UTC(2040, 0, 1, 12);
