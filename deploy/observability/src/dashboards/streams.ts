import { type DashboardPlan, medianAndSlow, quantileOf, rateOf } from './dashboard-plan.ts';

export const streams: DashboardPlan = {
  uid: 'inventory-events',
  title: 'Inventory: streams and webhooks',
  description: 'From the event to its consumers: the log, event streams, webhooks.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Open streams',
          description: 'Over all gateways.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_gateway_streams_open)', legend: 'streams' }],
        },
        {
          title: 'Projects followed',
          description: 'By at least one stream; a Project on two gateways counts twice.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_gateway_stream_projects)', legend: 'Projects' }],
        },
        {
          title: 'Events to streams (p95)',
          description: 'From the place in the log until the sockets have it.',
          unit: 's',
          shows: 'figure',
          warnAt: 1,
          failAt: 5,
          queries: [{ expr: quantileOf(0.95, 'inventory_stream_delivery_delay'), legend: 'p95' }],
        },
        {
          title: 'Webhooks due',
          description: 'Their time has come and they are not sent yet.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'max(inventory_webhooks_due)', legend: 'due' }],
        },
        {
          title: 'Oldest due webhook',
          description: 'More than moments: no replica sends.',
          unit: 's',
          shows: 'figure',
          warnAt: 60,
          failAt: 300,
          queries: [{ expr: 'max(inventory_webhooks_due_oldest_age)', legend: 'age' }],
        },
        {
          title: 'Webhooks to be tried again',
          description: 'Their endpoints failed; they follow their schedule.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'max(inventory_webhooks_retrying)', legend: 'deliveries' }],
        },
      ],
    },
    {
      title: 'The log',
      panels: [
        {
          title: 'Events logged',
          description: 'By type and, of refreshes, outcome.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf('inventory_events_appended_total', 'type, outcome'),
              legend: '{{type}} {{outcome}}',
            },
          ],
        },
        {
          title: 'From what happened to the log (p50, p99)',
          description: 'By type of event.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow('inventory_events_append_delay', 'type'),
        },
        {
          title: 'From the log to the sockets (p50, p99)',
          description: 'Once for each event and gateway.',
          unit: 's',
          shows: 'lines',
          failAt: 5,
          queries: medianAndSlow('inventory_stream_delivery_delay'),
        },
      ],
    },
    {
      title: 'Event streams',
      panels: [
        {
          title: 'Streams, by gateway',
          description: 'Each holds up to STREAMS_MAX (12,000).',
          unit: 'short',
          shows: 'areas',
          queries: [
            { expr: 'sum by (instance) (inventory_gateway_streams_open)', legend: '{{instance}}' },
          ],
        },
        {
          title: 'Frames written',
          description: 'Events times the streams that follow them.',
          unit: 'ops',
          shows: 'lines',
          queries: [{ expr: rateOf('inventory_stream_frames_total'), legend: 'frames' }],
        },
        {
          title: 'Streams ended, by reason',
          description:
            'max_age is the normal end; slow_consumer: a reader took nothing for too long.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf('inventory_gateway_streams_closed_total', 'reason'),
              legend: '{{reason}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Requests, by result',
          description: 'success is an answer of 2xx in time; status any other answer.',
          unit: 'reqps',
          shows: 'areas',
          queries: [
            {
              expr: rateOf('inventory_webhooks_attempt_duration_count', 'result'),
              legend: '{{result}}',
            },
          ],
        },
        {
          title: 'Time of requests (p50, p99)',
          description: 'How long endpoints take.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow('inventory_webhooks_attempt_duration'),
        },
        {
          title: 'Backlog',
          description: 'due: to be sent now. retrying: their endpoints failed.',
          unit: 'short',
          shows: 'lines',
          queries: [
            { expr: 'max(inventory_webhooks_due)', legend: 'due' },
            { expr: 'max(inventory_webhooks_retrying)', legend: 'retrying' },
          ],
        },
        {
          title: 'Endpoints switched off',
          description:
            'Since the processes started. gone: answered 410. failing: nothing but failures for days.',
          unit: 'short',
          shows: 'lines',
          queries: [
            { expr: 'sum by (reason) (inventory_webhooks_disabled_total)', legend: '{{reason}}' },
          ],
        },
      ],
    },
  ],
};
