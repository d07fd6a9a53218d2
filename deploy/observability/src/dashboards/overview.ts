import {
  areas,
  type DashboardPlan,
  figure,
  lines,
  medianAndSlow,
  quantileOf,
  rateOf,
} from './dashboard-plan.ts';

const requests = 'http_server_request_duration';
const publicApi = 'inventory_api="public"';
/** Streams and status requests that wait last as long as they are meant to. */
const answeredAtOnce = `${publicApi}, http_route!~".*/stream|/v2/platform/inventory-refreshes/[{]refresh_id[}]"`;

export const overview: DashboardPlan = {
  uid: 'inventory-overview',
  title: 'Inventory: overview',
  description: 'Whether customers are served, and which of the other dashboards shows why not.',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Alerts',
          'short',
          'Firing. Each names its page in docs/operators/runbooks.',
          { firing: 'count(ALERTS{alertstate="firing"}) or vector(0)' },
          { failAt: 1 },
        ),
        figure(
          'Failed requests, 1 h',
          'percentunit',
          'Share of public requests that failed by our own fault. The objective is 0.1 %.',
          { failed: 'inventory:public_request_failures:ratio_rate1h' },
          { warnAt: 0.001, failAt: 0.0144 },
        ),
        figure(
          'Refreshes outstanding',
          'short',
          'Accepted and not terminal. Admission closes at OUTSTANDING_MAX (10,000).',
          { outstanding: 'max(inventory_refresh_outstanding)' },
          { warnAt: 5_000, failAt: 9_000 },
        ),
        figure(
          'Refreshes stuck',
          'short',
          'They do not advance without a repair. Always 0.',
          { stuck: 'sum(max by (phase) (inventory_refresh_stuck))' },
          { failAt: 1 },
        ),
        figure(
          'Oldest hold',
          's',
          'No refresh lasts longer than 90 minutes, so no hold does.',
          { age: 'max(inventory_ledger_holds_oldest_age)' },
          { warnAt: 5_400, failAt: 7_200 },
        ),
        figure(
          'Open streams',
          'short',
          'Over all gateways; one of them holds up to STREAMS_MAX (12,000).',
          { streams: 'sum(inventory_gateway_streams_open)' },
        ),
      ],
    },
    {
      title: 'Public API',
      panels: [
        areas(
          'Requests by route',
          'reqps',
          'What clients ask for; a line without a route is what no route matched.',
          { '{{http_route}}': rateOf(`${requests}_count`, 'http_route', publicApi) },
        ),
        areas(
          'Errors by code',
          'reqps',
          'internal_error, service_unavailable and billing_unavailable are ours; the rest are responses by design.',
          {
            '{{error_type}}': rateOf(
              `${requests}_count`,
              'error_type',
              `${publicApi}, error_type!=""`,
            ),
          },
        ),
        lines(
          'Time to answer (p99)',
          's',
          'Without event streams and status requests, which last as long as they are asked to. Live pages and refreshes wait for others.',
          { '{{http_route}}': quantileOf(0.99, requests, 'http_route', answeredAtOnce) },
          { failAt: 10 },
        ),
      ],
    },
    {
      title: 'Work',
      panels: [
        areas(
          'Refreshes that ended, by outcome',
          'ops',
          "internal_failure is ours; incomplete and upstream_unavailable are the platform's.",
          { '{{outcome}}': rateOf('inventory_refresh_duration_count', 'outcome') },
        ),
        lines(
          'Pages charged',
          'ops',
          'Saved pages and live pages that were delivered and charged.',
          {
            '{{asset}} charged': rateOf('inventory_ledger_moved_total', 'asset', 'kind="charge"'),
            'saved pages served': rateOf('inventory_current_pages_total'),
          },
        ),
        areas(
          'Events logged',
          'ops',
          'Places given in the logs of Projects; streams and webhooks follow them.',
          { '{{type}}': rateOf('inventory_events_appended_total', 'type') },
        ),
      ],
    },
    {
      title: 'Messages between the services',
      panels: [
        lines(
          'Oldest unhandled message',
          's',
          'Grows while a message is tried again and those behind it wait. Normally below a second.',
          {
            '{{messaging_consumer_group_name}}: {{messaging_destination_name}}':
              'max by (messaging_destination_name, messaging_consumer_group_name) (inventory_consumer_delay)',
          },
          { failAt: 60 },
        ),
        lines(
          'Messages behind',
          'short',
          'Not yet handled, over all partitions.',
          {
            '{{messaging_consumer_group_name}}: {{messaging_destination_name}}':
              'sum by (messaging_destination_name, messaging_consumer_group_name) (inventory_consumer_lag)',
          },
          { failAt: 5_000 },
        ),
        lines(
          'Time to handle one (p50, p99)',
          's',
          'By topic; with error_type "retry" it will be tried again.',
          medianAndSlow('messaging_process_duration', 'messaging_destination_name'),
        ),
        areas('Messages handled', 'ops', 'By topic and end: no end is success.', {
          '{{messaging_destination_name}} {{error_type}}': rateOf(
            'messaging_process_duration_count',
            'messaging_destination_name, error_type',
          ),
        }),
        lines(
          'Failed tries of pending work',
          'short',
          'Tried again after a pause. Those of an outbox: Kafka took no message of it.',
          {
            '{{service}}: {{work}}':
              'sum by (service, work) (increase(inventory_work_failures_total[10m]))',
          },
          { failAt: 15 },
        ),
        lines(
          'Oldest due work',
          's',
          'Unsent messages, re-sent commands, reversals, cancels and captures that are due and not begun.',
          { '{{service}}: {{work}}': 'max by (service, work) (inventory_work_overdue_age)' },
          { failAt: 120 },
        ),
        lines(
          'Dead letters',
          'short',
          'Given up and put aside, since the processes started. Always 0.',
          {
            '{{messaging_destination_name}}: {{reason}}':
              'sum by (messaging_destination_name, reason) (inventory_dead_letters_total)',
          },
        ),
      ],
    },
  ],
};
