import type { PublicCode } from '@inventory/contracts/refusal-codes';
import { alertRule, type RuleGroup } from './rule-plan.ts';

/**
 * Of the requests to the public API, 99.9 % within 30 days are not failed by the product itself.
 * What the platform or the client is the reason of, and a closed admission, are no failures of it.
 */
const availabilityObjective = 0.999;
const ourFailures: readonly PublicCode[] = [
  'internal_error',
  'service_unavailable',
  'billing_unavailable',
];

const requests = 'http_server_request_duration_count';
const all = 'inventory_api="public"';
const failed = `${all}, error_type=~"${ourFailures.join('|')}"`;
const windows = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;
type Window = (typeof windows)[number];

/** Name of the recorded share of failed requests over a window. */
export function failureShare(window: Window): string {
  return `inventory:public_request_failures:ratio_rate${window}`;
}

function recording(window: Window) {
  const failures = `(sum(rate(${requests}{${failed}}[${window}])) or vector(0))`;
  return {
    record: failureShare(window),
    expr: `${failures} / (sum(rate(${requests}{${all}}[${window}])) > 0)`,
  };
}

/** Fewer than this never page: one unlucky client is not an incident. */
const leastFailures = 10;

interface Burn {
  /** How many times faster than the budget allows for 30 days. */
  readonly factor: number;
  readonly long: Window;
  /** Over too when it has just ended, so that the alert ends soon after its cause. */
  readonly short: Window;
}

function burning({ factor, long, short }: Burn): string {
  const limit = `${factor} * (1 - ${availabilityObjective})`;
  const enough = `sum(increase(${requests}{${failed}}[${long}])) >= ${leastFailures}`;
  return `(${failureShare(long)} > ${limit} and ${failureShare(short)} > ${limit} and ${enough})`;
}

/** The public API's error budget, burnt too fast: 2 % of it in 1 h, 5 % in 6 h, 10 % in 1 or 3 days. */
export const objectives: RuleGroup[] = [
  { name: 'objectives', interval: '30s', rules: windows.map(recording) },
  {
    name: 'error-budget',
    rules: [
      alertRule({
        name: 'ErrorBudgetBurnsFast',
        severity: 'page',
        expr: [
          burning({ factor: 14.4, long: '1h', short: '5m' }),
          burning({ factor: 6, long: '6h', short: '30m' }),
        ].join(' or '),
        for: '1m',
        summary: 'The public API fails so often that its month of error budget lasts days.',
        description:
          '{{ $value | humanizePercentage }} of the requests failed by our own fault; 0.1 % is the objective.',
      }),
      alertRule({
        name: 'ErrorBudgetBurnsSlowly',
        severity: 'ticket',
        expr: [
          burning({ factor: 3, long: '1d', short: '2h' }),
          burning({ factor: 1, long: '3d', short: '6h' }),
        ].join(' or '),
        for: '15m',
        summary: 'The public API fails a little too often to keep its objective.',
        description:
          '{{ $value | humanizePercentage }} of the requests failed by our own fault; 0.1 % is the objective.',
      }),
    ],
  },
];
