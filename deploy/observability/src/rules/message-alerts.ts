import { counted } from './promql.ts';
import { alertRule, type RuleGroup } from './rule-plan.ts';

const consumer = 'messaging_destination_name, messaging_consumer_group_name';
const theConsumer =
  '{{ $labels.messaging_consumer_group_name }} of {{ $labels.messaging_destination_name }}';

export const messageAlerts: RuleGroup = {
  name: 'messages',
  rules: [
    alertRule({
      name: 'ConsumerStuck',
      severity: 'page',
      expr: `max by (${consumer}) (inventory_consumer_delay) > 60`,
      for: '2m',
      summary: 'A message is tried again and again, and those behind it wait.',
      description: `In ${theConsumer} the oldest has been waiting for {{ $value | humanizeDuration }}.`,
    }),
    alertRule({
      name: 'ConsumerLag',
      severity: 'ticket',
      expr: `sum by (${consumer}) (inventory_consumer_lag) > 5000`,
      for: '10m',
      summary: 'Messages arrive faster than they are handled.',
      description: `${theConsumer} is {{ $value }} messages behind.`,
    }),
    alertRule({
      name: 'ConsumerStopped',
      severity: 'page',
      expr: `sum by (${consumer}) (inventory_consumer_stopped) > 0`,
      for: '0s',
      summary: 'A consumer stopped, because it would give up one message after the other.',
      description: `{{ $value }} partitions of ${theConsumer} are stopped until an operator acts.`,
    }),
    alertRule({
      name: 'DeadLetters',
      severity: 'ticket',
      expr: `${counted('inventory_dead_letters_total', '15m', 'service, messaging_destination_name, reason')} > 0`,
      for: '0s',
      keepFiringFor: '30m',
      summary: 'Messages were given up and put aside.',
      description:
        '{{ $labels.service }} put {{ $value }} of {{ $labels.messaging_destination_name }} aside ({{ $labels.reason }}).',
    }),
    alertRule({
      name: 'WorkOverdue',
      severity: 'page',
      expr: 'max by (service, work) (inventory_work_overdue_age) > 120',
      for: '2m',
      summary: 'Pending work is due and not begun.',
      description:
        'The oldest of {{ $labels.work }} in {{ $labels.service }} has been due for {{ $value | humanizeDuration }}.',
    }),
    alertRule({
      name: 'WorkFailing',
      severity: 'page',
      expr: `${counted('inventory_work_failures_total', '10m', 'service, work')} > 15`,
      for: '2m',
      summary: 'Pending work fails and is tried again.',
      description:
        '{{ $value }} tries of {{ $labels.work }} in {{ $labels.service }} failed in ten minutes.',
    }),
  ],
};
