import { duration, type Parsed } from '@inventory/runtime/settings';

export const decisionSettings = {
  DECISION_TIMEOUT_MS: duration()
    .prefault('10000')
    .describe('Longest wait for the decision on a refresh or a cancel'),
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
  return { decisionTimeoutMs: parsed.DECISION_TIMEOUT_MS };
}
