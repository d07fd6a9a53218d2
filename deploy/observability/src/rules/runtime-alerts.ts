import { serviceNames } from '@inventory/contracts/topics';
import { counted } from './promql.ts';
import { alertRule, type RuleGroup } from './rule-plan.ts';

const ours = `service=~"${serviceNames.join('|')}"`;
const absentOf = (metric: string) =>
  serviceNames.map((name) => `absent(${metric}{service="${name}"})`).join(' or ');

export const runtimeAlerts: RuleGroup = {
  name: 'runtime',
  rules: [
    alertRule({
      name: 'ServiceDown',
      severity: 'page',
      expr: `sum by (service) (up{${ours}}) == 0 or ${absentOf('up')}`,
      for: '2m',
      summary: 'No replica of a service answers.',
      description: '{{ $labels.service }} is gone.',
    }),
    alertRule({
      name: 'ServiceNotReady',
      severity: 'page',
      expr: `sum by (service) (inventory_ready{${ours}}) == 0 or ${absentOf('inventory_ready')}`,
      for: '1m',
      summary: 'No replica of a service is ready, so none is in its Service.',
      description: '{{ $labels.service }} serves no request.',
    }),
    alertRule({
      name: 'ServiceDegraded',
      severity: 'page',
      expr: `min by (service) (inventory_degraded{${ours}}) > 0`,
      for: '2m',
      summary: 'Every replica of a service serves only a part of its requests.',
      description: '{{ $labels.service }} handles no message; its /readyz has the reason.',
    }),
    alertRule({
      name: 'ReplicaDown',
      severity: 'ticket',
      expr: `up{${ours}} == 0`,
      for: '10m',
      summary: 'A replica does not answer.',
      description: '{{ $labels.instance }} of {{ $labels.service }}; the others do its work.',
    }),
    alertRule({
      name: 'JobFailing',
      severity: 'ticket',
      expr: `${counted('inventory_job_failures_total', '15m', 'service, job_name')} > 5`,
      for: '5m',
      summary: 'A periodic job fails run after run.',
      description:
        '"{{ $labels.job_name }}" of {{ $labels.service }} failed {{ $value | humanize }} times within a quarter of an hour.',
    }),
    alertRule({
      name: 'JobHanging',
      severity: 'ticket',
      // The pause between two runs is not counted.
      expr: 'max by (service, job_name) (inventory_job_run_age) > 7200',
      for: '5m',
      summary: 'A periodic job does not get done.',
      description:
        '"{{ $labels.job_name }}" of {{ $labels.service }} is {{ $value | humanizeDuration }} late.',
    }),
    alertRule({
      name: 'EventLoopBlocked',
      severity: 'ticket',
      expr: `max by (service, instance) (nodejs_eventloop_delay_p99{${ours}}) > 0.5`,
      for: '5m',
      summary: 'A process does one thing for so long that everything else waits.',
      description:
        '{{ $labels.instance }} of {{ $labels.service }}: delays of {{ $value | humanizeDuration }}.',
    }),
    alertRule({
      name: 'EventLoopFull',
      severity: 'ticket',
      expr: `avg by (service) (avg_over_time(nodejs_eventloop_utilization{${ours}}[5m])) > 0.85`,
      for: '15m',
      summary: 'A service has no time left.',
      description:
        'The replicas of {{ $labels.service }} are busy {{ $value | humanizePercentage }} of the time: add some.',
    }),
  ],
};
