import { duration, type readSettings } from '@inventory/runtime/settings';

export const refreshSettings = {
  DECISION_TIMEOUT_MS: duration()
    .prefault('10000')
    .describe('Longest wait for the decision on a refresh or a cancel'),
} as const;

export interface RefreshConfig {
  readonly deadlines: {
    readonly storeMs: number;
    readonly pendingReplyMs: number;
    readonly batchMs: number;
    readonly undecidedRefreshMs: number;
    readonly waitSecondMs: number;
    readonly waitReadEveryMs: number;
  };
  readonly decisionTimeoutMs: number;
}

type Parsed = ReturnType<typeof readSettings<typeof refreshSettings>>;

export function refreshConfig(parsed: Parsed): Omit<RefreshConfig, 'deadlines'> {
  return { decisionTimeoutMs: parsed.DECISION_TIMEOUT_MS };
}
