import { failureShare } from '../rules/objectives.ts';
import { type DashboardPlan, medianAndSlow, quantileOf, rateOf } from './dashboard-plan.ts';

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
        {
          title: 'Alerts',
          description: 'Firing. Each names its page in docs/operators/runbooks.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'count(ALERTS{alertstate="firing"}) or vector(0)', legend: 'firing' }],
        },
        {
          title: 'Failed requests, 1 h',
          description:
            'Share of public requests that failed by our own fault. The objective is 0.1 %.',
          unit: 'percentunit',
          shows: 'figure',
          warnAt: 0.001,
          failAt: 0.0144,
          queries: [{ expr: failureShare('1h'), legend: 'failed' }],
        },
        {
          title: 'Refreshes outstanding',
          description: 'Accepted and not terminal. Admission closes at OUTSTANDING_MAX (10,000).',
          unit: 'short',
          shows: 'figure',
          warnAt: 5_000,
          failAt: 9_000,
          queries: [{ expr: 'max(inventory_refresh_outstanding)', legend: 'outstanding' }],
        },
        {
          title: 'Refreshes stuck',
          description: 'They do not advance without a repair. Always 0.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'sum(max by (phase) (inventory_refresh_stuck))', legend: 'stuck' }],
        },
        {
          title: 'Oldest hold',
          description: 'No refresh lasts longer than 90 minutes, so no hold does.',
          unit: 's',
          shows: 'figure',
          warnAt: 5_400,
          failAt: 7_200,
          queries: [{ expr: 'max(inventory_ledger_holds_oldest_age)', legend: 'age' }],
        },
        {
          title: 'Open streams',
          description: 'Over all gateways; one of them holds up to STREAMS_MAX (12,000).',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_gateway_streams_open)', legend: 'streams' }],
        },
      ],
    },
    {
      title: 'Public API',
      panels: [
        {
          title: 'Requests by route',
          description: 'What clients ask for; a line without a route is what no route matched.',
          unit: 'reqps',
          shows: 'areas',
          queries: [
            {
              expr: rateOf(`${requests}_count`, 'http_route', publicApi),
              legend: '{{http_route}}',
            },
          ],
        },
        {
          title: 'Errors by code',
          description:
            'internal_error, service_unavailable and billing_unavailable are ours; the rest are responses by design.',
          unit: 'reqps',
          shows: 'areas',
          queries: [
            {
              expr: rateOf(`${requests}_count`, 'error_type', `${publicApi}, error_type!=""`),
              legend: '{{error_type}}',
            },
          ],
        },
        {
          title: 'Time to answer (p99)',
          description:
            'Without event streams and status requests, which last as long as they are asked to. Live pages and refreshes wait for others.',
          unit: 's',
          shows: 'lines',
          failAt: 10,
          queries: [
            {
              expr: quantileOf(0.99, requests, 'http_route', answeredAtOnce),
              legend: '{{http_route}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'Refreshes that ended, by outcome',
          description:
            "internal_failure is ours; incomplete and upstream_unavailable are the platform's.",
          unit: 'ops',
          shows: 'areas',
          queries: [
            { expr: rateOf('inventory_refresh_duration_count', 'outcome'), legend: '{{outcome}}' },
          ],
        },
        {
          title: 'Pages charged',
          description: 'Saved pages and live pages that were delivered and charged.',
          unit: 'ops',
          shows: 'lines',
          queries: [
            {
              expr: rateOf('inventory_ledger_moved_total', 'asset', 'kind="charge"'),
              legend: '{{asset}} charged',
            },
            { expr: rateOf('inventory_current_pages_total'), legend: 'saved pages served' },
          ],
        },
        {
          title: 'Events logged',
          description: 'Places given in the logs of Projects; streams and webhooks follow them.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            { expr: rateOf('inventory_events_appended_total', 'type'), legend: '{{type}}' },
          ],
        },
      ],
    },
    {
      title: 'Messages between the services',
      panels: [
        {
          title: 'Oldest unhandled message',
          description:
            'Grows while a message is tried again and those behind it wait. Normally below a second.',
          unit: 's',
          shows: 'lines',
          failAt: 60,
          queries: [
            {
              expr: 'max by (messaging_destination_name, messaging_consumer_group_name) (inventory_consumer_delay)',
              legend: '{{messaging_consumer_group_name}}: {{messaging_destination_name}}',
            },
          ],
        },
        {
          title: 'Messages behind',
          description: 'Not yet handled, over all partitions.',
          unit: 'short',
          shows: 'lines',
          failAt: 5_000,
          queries: [
            {
              expr: 'sum by (messaging_destination_name, messaging_consumer_group_name) (inventory_consumer_lag)',
              legend: '{{messaging_consumer_group_name}}: {{messaging_destination_name}}',
            },
          ],
        },
        {
          title: 'Time to handle one (p50, p99)',
          description: 'By topic; with error_type "retry" it will be tried again.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow('messaging_process_duration', 'messaging_destination_name'),
        },
        {
          title: 'Messages handled',
          description: 'By topic and end: no end is success.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf(
                'messaging_process_duration_count',
                'messaging_destination_name, error_type',
              ),
              legend: '{{messaging_destination_name}} {{error_type}}',
            },
          ],
        },
        {
          title: 'Failed tries of pending work',
          description:
            'Tried again after a pause. Those of an outbox: Kafka took no message of it.',
          unit: 'short',
          shows: 'lines',
          failAt: 15,
          queries: [
            {
              expr: 'sum by (service, work) (increase(inventory_work_failures_total[10m]))',
              legend: '{{service}}: {{work}}',
            },
          ],
        },
        {
          title: 'Oldest due work',
          description:
            'Unsent messages, re-sent commands, reversals, cancels and captures that are due and not begun.',
          unit: 's',
          shows: 'lines',
          failAt: 120,
          queries: [
            {
              expr: 'max by (service, work) (inventory_work_overdue_age)',
              legend: '{{service}}: {{work}}',
            },
          ],
        },
        {
          title: 'Dead letters',
          description: 'Given up and put aside, since the processes started. Always 0.',
          unit: 'short',
          shows: 'lines',
          queries: [
            {
              expr: 'sum by (messaging_destination_name, reason) (inventory_dead_letters_total)',
              legend: '{{messaging_destination_name}}: {{reason}}',
            },
          ],
        },
      ],
    },
  ],
};
