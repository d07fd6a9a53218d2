import { count, duration, type Parsed } from '@inventory/runtime/settings';

export const decisionSettings = {
  DECISION_TIMEOUT_MS: duration()
    .prefault('10000')
    .describe('Longest wait for the decision on a refresh or a cancel'),
  SANDBOX_REFRESHES_PER_MINUTE: count()
    .prefault('20')
    .describe(
      'Refreshes of a sandbox account that one replica accepts at once, and in each minute',
    ),
} as const;

export type DecisionConfig = Readonly<ReturnType<typeof decisionConfig>> & {
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

export function decisionConfig(parsed: Parsed<typeof decisionSettings>) {
  return {
    decisionTimeoutMs: parsed.DECISION_TIMEOUT_MS,
    sandboxRefreshesPerMinute: parsed.SANDBOX_REFRESHES_PER_MINUTE,
  };
}
