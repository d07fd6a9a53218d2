import { serviceNames } from '@inventory/contracts/topics';

/** Values of a series, one a minute, in promtool's notation. */
export type Values = (minutes: number) => string;
/** By what a scrape would have stored: name and labels. */
export type Series = Readonly<Record<string, Values>>;

export const always =
  (value: number): Values =>
  (minutes) =>
    `${value}+0x${minutes}`;
export const everyMinute =
  (growth: number): Values =>
  (minutes) =>
    `0+${growth}x${minutes}`;
/** Not there, then counted this many at once, as a counter's first event is. */
export const suddenly =
  (count: number, atMinute: number): Values =>
  (minutes) =>
    `_x${atMinute} ${count}+0x${minutes - atMinute}`;
/** Grew every minute, then its target was gone. */
export const untilMinute =
  (growth: number, atMinute: number): Values =>
  (minutes) =>
    `0+${growth}x${atMinute} _x${minutes - atMinute}`;
export const falling =
  (from: number, loss: number): Values =>
  (minutes) =>
    `${from}-${loss}x${minutes}`;
export const absent: Values = (minutes) => `_x${minutes}`;
/** As it is in each minute; null is no sample. */
export const byMinute =
  (valueIn: (minute: number) => number | null): Values =>
  (minutes) =>
    Array.from({ length: minutes + 1 }, (_, minute) => valueIn(minute) ?? '_').join(' ');
/** A counter that grows by as much in each minute. */
export const counted = (growthIn: (minute: number) => number): Values => {
  return (minutes) => {
    let count = 0;
    return byMinute((minute) => (count += growthIn(minute)))(minutes);
  };
};
/** Grows with the time, as an age does. */
export const ageing: Values = everyMinute(60);

/** Buckets of a histogram whose observations, one a second, all took about so long. */
export function histogram(name: string, labels: string, seconds: number): Series {
  const bounds = [0.1, 1, 10, 100];
  const comma = labels === '' ? '' : ',';
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound) => {
    const le = Number.isFinite(bound) ? bound : '+Inf';
    const label = `${name}_bucket{${labels}${comma}le="${le}"}`;
    return [label, bound >= seconds ? everyMinute(60) : always(0)];
  });
  return { ...Object.fromEntries(buckets), [`${name}_count{${labels}}`]: everyMinute(60) };
}

const route = 'http_route="/v2/prices"';
const streamRequests =
  'http_server_request_duration_count{service="gateway",inventory_api="public",http_route="/v2/projects/{project_id}/events/stream"}';
const topic = 'messaging_destination_name="billing.commands.v1"';
const consumer = `${topic},messaging_consumer_group_name="billing-ledger"`;
export const request = `service="gateway",inventory_api="public",${route}`;
export const series = {
  failures: `http_server_request_duration_count{${request},error_type="internal_error"}`,
  ended: (outcome: string) => `inventory_refresh_duration_count{outcome="${outcome}"}`,
  stuck: 'inventory_refresh_stuck{phase="settling"}',
  setAside: 'inventory_refresh_set_aside{}',
  holdsLost: 'inventory_refresh_holds_lost_total{service="refresh-collector"}',
  queueAge: 'inventory_refresh_open_oldest_age{phase="queued"}',
  assembling: 'inventory_assembly_waiting{}',
  closed: (reason: string) => `inventory_admission_closed{reason="${reason}"}`,
  holdAge: 'inventory_ledger_holds_oldest_age{}',
  verifyProblems: 'inventory_ledger_verify_problems{}',
  verifyAge: 'inventory_ledger_verify_age{}',
  quarantined: 'inventory_ledger_accounts_quarantined{}',
  clockOffset: 'inventory_ledger_clock_offset{}',
  conflicts: 'inventory_ledger_command_conflicts_total{service="billing-ledger"}',
  charges: 'inventory_ledger_moved_total{kind="charge",asset="credits"}',
  reversals: 'inventory_gateway_reversals_total{result="applied"}',
  givenAway: 'inventory_gateway_pages_given_away_total{service="gateway"}',
  delay: `inventory_consumer_delay{${consumer}}`,
  lag: `inventory_consumer_lag{${consumer}}`,
  stopped: `inventory_consumer_stopped{${consumer}}`,
  deadLetters: `inventory_dead_letters_total{service="billing-ledger",${topic},reason="contract"}`,
  workAge: 'inventory_work_overdue_age{service="gateway",work="page reversals"}',
  workFailures: 'inventory_work_failures_total{service="revision-store",work="outbox of scans"}',
  breakers: 'inventory_app_breaker_open{}',
  identities: (state: string) => `inventory_identity_states{state="${state}"}`,
  responses: (response: string) =>
    `inventory_platform_request_duration_count{response="${response}"}`,
  livePages: (result: string) => `inventory_live_pages_duration_count{result="${result}"}`,
  webhooksAge: 'inventory_webhooks_due_oldest_age{}',
  attempts: (result: string) => `inventory_webhooks_attempt_duration_count{result="${result}"}`,
  ready: (service: string) => `inventory_ready{service="${service}",instance="${service}-1"}`,
  degraded: (service: string) => `inventory_degraded{service="${service}",instance="${service}-1"}`,
  probe: 'probe_success{job="public-api"}',
  up: (service: string) => `up{service="${service}",instance="${service}-1"}`,
  eventLoopDelay: 'nodejs_eventloop_delay_p99{service="gateway",instance="gateway-1"}',
  eventLoopUse: 'nodejs_eventloop_utilization{service="gateway",instance="gateway-1"}',
  jobFailures: 'inventory_job_failures_total{service="gateway",job_name="captures"}',
  runAge: 'inventory_job_run_age{service="gateway",job_name="captures"}',
  logLinesDropped: 'inventory_log_lines_dropped_total{service="gateway",instance="gateway-1"}',
  probeRequests: 'http_server_request_duration_count{service="gateway",inventory_api="public"}',
  streamEnds: streamRequests,
  claim: (what: 'available' | 'capacity') =>
    `kubelet_volume_stats_${what}_bytes{namespace="inventory",persistentvolumeclaim="kept-kafka-0"}`,
  disk: (what: 'avail' | 'size') =>
    `node_filesystem_${what}_bytes{instance="node-1",mountpoint="/",fstype="ext4"}`,
};

/** Every process runs, and has done nothing yet. */
export const unused: Series = {
  ...Object.fromEntries(serviceNames.map((name) => [series.up(name), always(1)])),
  ...Object.fromEntries(serviceNames.map((name) => [series.ready(name), always(1)])),
  ...Object.fromEntries(serviceNames.map((name) => [series.degraded(name), always(0)])),
  [series.probe]: always(1),
  // Of the address that is probed, which is no route.
  [series.probeRequests]: everyMinute(4),
  [series.eventLoopDelay]: always(0.02),
  [series.eventLoopUse]: always(0.4),
  [series.runAge]: always(30),
  [series.logLinesDropped]: always(0),
  [series.claim('capacity')]: always(1_000),
  [series.claim('available')]: always(300),
  [series.disk('size')]: always(1_000),
  // Grows, and has long to go.
  [series.disk('avail')]: falling(900, 0.1),
};

/** Everything works, customers make mistakes, the platform has its moods. */
export const healthy: Series = {
  ...unused,
  ...histogram('http_server_request_duration', request, 0.05),
  [`http_server_request_duration_count{${request},error_type="rate_limit_exceeded"}`]:
    everyMinute(5),
  // Streams end for a quarter of an hour after the last one was opened.
  [series.streamEnds]: everyMinute(3),
  [series.ended('complete_changed')]: everyMinute(30),
  [series.ended('private')]: everyMinute(5),
  [series.ended('upstream_unavailable')]: everyMinute(2),
  [series.stuck]: always(0),
  [series.setAside]: always(0),
  [series.queueAge]: always(20),
  [series.assembling]: always(3),
  [series.closed('global_outstanding_closed')]: always(0),
  [series.closed('operator_closed')]: always(0),
  [series.holdAge]: always(240),
  [series.verifyProblems]: always(0),
  [series.quarantined]: always(0),
  [series.clockOffset]: always(0.01),
  [series.verifyAge]: always(40_000),
  [series.charges]: everyMinute(500),
  [series.reversals]: everyMinute(1),
  [series.delay]: always(0.2),
  [series.lag]: always(40),
  [series.stopped]: always(0),
  [series.workAge]: always(0),
  [series.workFailures]: always(0),
  [series.breakers]: always(0),
  [series.identities('free')]: always(6),
  [series.identities('silent')]: always(1),
  [series.responses('page')]: everyMinute(200),
  [series.responses('throttled')]: everyMinute(5),
  [series.responses('fault')]: everyMinute(5),
  [series.livePages('page')]: everyMinute(60),
  [series.livePages('egress_busy')]: everyMinute(2),
  ...histogram('inventory_events_append_delay', 'type="inventory.refresh.completed"', 0.5),
  ...histogram('inventory_stream_delivery_delay', '', 0.05),
  [series.webhooksAge]: always(1),
  [series.attempts('success')]: everyMinute(100),
  [series.attempts('timeout')]: everyMinute(10),
};
