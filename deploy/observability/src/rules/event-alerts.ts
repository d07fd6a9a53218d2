import { shareOf } from './promql.ts';
import { alertRule, type RuleGroup } from './rule-plan.ts';

const attempts = 'inventory_webhooks_attempt_duration_count';

function slowest(histogram: string): string {
  return `histogram_quantile(0.95, sum by (le) (rate(${histogram}_bucket[5m])))`;
}

export const eventAlerts: RuleGroup = {
  name: 'events',
  rules: [
    alertRule({
      name: 'EventsAppendedLate',
      severity: 'page',
      expr: `${slowest('inventory_events_append_delay')} > 30`,
      for: '5m',
      summary: 'What happened is announced late.',
      description:
        '5 % of the events get their place in the log {{ $value | humanizeDuration }} or more after they happened.',
    }),
    alertRule({
      name: 'StreamsLate',
      severity: 'page',
      expr: `${slowest('inventory_stream_delivery_delay')} > 5`,
      for: '5m',
      summary: 'Events reach open streams late.',
      description:
        '5 % of the events reach streams {{ $value | humanizeDuration }} or more after they were logged.',
    }),
    alertRule({
      name: 'WebhooksStopped',
      severity: 'page',
      expr: `max(inventory_webhooks_due_oldest_age) > 300 unless sum(increase(${attempts}[5m])) > 0`,
      for: '5m',
      summary: 'Webhooks are due, and none is sent.',
      description: 'The oldest should have gone out {{ $value | humanizeDuration }} ago.',
    }),
    alertRule({
      name: 'WebhooksLate',
      severity: 'ticket',
      // A single slow endpoint with many deliveries is enough for this.
      expr: 'max(inventory_webhooks_due_oldest_age) > 300',
      for: '15m',
      summary: 'Webhooks that are due are sent late.',
      description: 'The oldest should have gone out {{ $value | humanizeDuration }} ago.',
    }),
    alertRule({
      name: 'WebhooksFailing',
      severity: 'ticket',
      expr: `${shareOf({ of: `${attempts}{result!="success"}`, among: attempts, window: '30m', leastEvents: 100 })} > 0.5`,
      for: '15m',
      summary: 'Most webhook requests fail.',
      description:
        '{{ $value | humanizePercentage }} of the requests of half an hour failed: so many endpoints are seldom down at once.',
    }),
  ],
};
