import { duration, type Parsed } from '@inventory/runtime/settings';

export const refreshSettings = {
  DECISION_TIMEOUT_MS: duration()
    .prefault('10000')
    .describe('Longest wait for the decision on a refresh or a cancel'),
} as const;

export type RefreshConfig = Readonly<ReturnType<typeof refreshConfig>> & {
  readonly deadlines: Readonly<
    Record<
      | 'storeMs'
      | 'pendingReplyMs'
      | 'batchMs'
      | 'undecidedRefreshMs'
      | 'waitSecondMs'
      | 'waitReadEveryMs',
      number
    >
  >;
};

export function refreshConfig(parsed: Parsed<typeof refreshSettings>) {
  return { decisionTimeoutMs: parsed.DECISION_TIMEOUT_MS };
}
