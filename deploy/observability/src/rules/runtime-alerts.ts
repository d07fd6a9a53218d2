import { serviceNames } from '@inventory/contracts/topics';
import { claimFree, claims, counted, diskFree, disks, ofClaim, ofDisk } from './promql.ts';
import { alertRule, type RuleGroup } from './rule-plan.ts';

const ours = `service=~"${serviceNames.join('|')}"`;
const absentOf = (metric: string) =>
  serviceNames.map((name) => `absent(${metric}{service="${name}"})`).join(' or ');

/** By the growth of the last hours. */
const inFourDays = (bytes: string) => `predict_linear(${bytes}[6h], 4 * 86400)`;
const theDisk =
  '{{ with $labels.persistentvolumeclaim }}The volume {{ . }}{{ else }}{{ $labels.mountpoint }} of {{ $labels.instance }}{{ end }}';

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
      name: 'DiskNearlyFull',
      severity: 'page',
      expr: `${claimFree} < 0.1 or ${diskFree} < 0.1`,
      for: '5m',
      summary: 'A disk of Kafka, MongoDB or the logs is nearly full.',
      description: `${theDisk} has {{ $value | humanizePercentage }} left.`,
    }),
    alertRule({
      name: 'DiskFilling',
      severity: 'ticket',
      expr:
        `(${claimFree} < 0.4 and min by (${ofClaim}) (${inFourDays(`kubelet_volume_stats_available_bytes${claims}`)}) < 0)` +
        ` or (${diskFree} < 0.4 and min by (${ofDisk}) (${inFourDays(`node_filesystem_avail_bytes${disks}`)}) < 0)`,
      for: '1h',
      summary: 'A disk of Kafka, MongoDB or the logs will be full within four days.',
      description: `${theDisk} has {{ $value | humanizePercentage }} left.`,
    }),
    alertRule({
      name: 'LogLinesDropped',
      severity: 'ticket',
      expr: `${counted('inventory_log_lines_dropped_total', '15m', 'service, instance')} > 0`,
      for: '0s',
      keepFiringFor: '30m',
      summary: 'Log lines were dropped, because standard output accepted none.',
      description:
        '{{ $value | humanize }} lines of {{ $labels.instance }} ({{ $labels.service }}).',
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
