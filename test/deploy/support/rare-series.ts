/**
 * What is counted only when something goes wrong that a test cannot let happen to a running product in
 * passing, or by chance, with labels as the services give them, and what only the exporters of a cluster
 * or the OpenTelemetry collector report. Queries for it are tried on planted series.
 */
export const rareSeries: readonly string[] = [
  'inventory_dead_letters_total{service="gateway",messaging_destination_name="replies.v1",reason="contract"}',
  'inventory_gateway_captures_ended_total{reason="deadline"}',
  'inventory_gateway_pages_given_away_total{service="gateway"}',
  'inventory_gateway_reversals_total{result="applied"}',
  'inventory_ledger_repetitions_total{service="billing-ledger"}',
  'inventory_job_failures_total{service="gateway",job_name="captures"}',
  'inventory_work_failures_total{service="gateway",work="page reversals"}',
  'kubelet_volume_stats_available_bytes{namespace="inventory",persistentvolumeclaim="kept-kafka-0"}',
  'kubelet_volume_stats_capacity_bytes{namespace="inventory",persistentvolumeclaim="kept-kafka-0"}',
  'node_filesystem_avail_bytes{instance="node-1",mountpoint="/",fstype="ext4"}',
  'node_filesystem_size_bytes{instance="node-1",mountpoint="/",fstype="ext4"}',
  ...['SERVER', 'CONSUMER', 'CLIENT', 'INTERNAL'].flatMap((kind) => {
    const labels = `service_name="gateway",span_name="a span",span_kind="SPAN_KIND_${kind}",status_code="STATUS_CODE_ERROR"`;
    return [
      `traces_span_metrics_calls_total{${labels}}`,
      `traces_span_metrics_duration_seconds_sum{${labels}}`,
      `traces_span_metrics_duration_seconds_bucket{${labels},le="+Inf"}`,
    ];
  }),
];

export const rareMetrics = rareSeries.map((series) => series.split('{')[0] ?? '');
