import {
  areas,
  type DashboardPlan,
  figure,
  lines,
  medianAndSlow,
  quantileOf,
  rateOf,
} from './dashboard-plan.ts';

export const streams: DashboardPlan = {
  uid: 'inventory-events',
  title: 'Inventory: streams and webhooks',
  description: 'From the event to its consumers: the log, event streams, webhooks.',
  rows: [
    {
      title: 'Now',
      panels: [
        figure('Open streams', 'short', 'Over all gateways.', {
          streams: 'sum(inventory_gateway_streams_open)',
        }),
        figure(
          'Projects followed',
          'short',
          'By at least one stream; a Project on two gateways counts twice.',
          { Projects: 'sum(inventory_gateway_stream_projects)' },
        ),
        figure(
          'Events to streams (p95)',
          's',
          'From the place in the log until the sockets have it.',
          { p95: quantileOf(0.95, 'inventory_stream_delivery_delay') },
          { warnAt: 1, failAt: 5 },
        ),
        figure('Webhooks due', 'short', 'Their time has come and they are not sent yet.', {
          due: 'max(inventory_webhooks_due)',
        }),
        figure(
          'Oldest due webhook',
          's',
          'More than moments: no replica sends.',
          { age: 'max(inventory_webhooks_due_oldest_age)' },
          { warnAt: 60, failAt: 300 },
        ),
        figure(
          'Webhooks to be tried again',
          'short',
          'Their endpoints failed; they follow their schedule.',
          { deliveries: 'max(inventory_webhooks_retrying)' },
        ),
      ],
    },
    {
      title: 'The log',
      panels: [
        areas('Events logged', 'ops', 'By type and, of refreshes, outcome.', {
          '{{type}} {{outcome}}': rateOf('inventory_events_appended_total', 'type, outcome'),
        }),
        lines(
          'From what happened to the log (p50, p99)',
          's',
          'By type of event.',
          medianAndSlow('inventory_events_append_delay', 'type'),
        ),
        lines(
          'From the log to the sockets (p50, p99)',
          's',
          'Once for each event and gateway.',
          medianAndSlow('inventory_stream_delivery_delay'),
          { failAt: 5 },
        ),
      ],
    },
    {
      title: 'Event streams',
      panels: [
        areas('Streams, by gateway', 'short', 'Each holds up to STREAMS_MAX (12,000).', {
          '{{instance}}': 'sum by (instance) (inventory_gateway_streams_open)',
        }),
        lines('Frames written', 'ops', 'Events times the streams that follow them.', {
          frames: rateOf('inventory_stream_frames_total'),
        }),
        areas(
          'Streams ended, by reason',
          'ops',
          'max_age is the normal end; slow_consumer: a reader took nothing for too long.',
          { '{{reason}}': rateOf('inventory_gateway_streams_closed_total', 'reason') },
        ),
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        areas(
          'Requests, by result',
          'reqps',
          'success is an answer of 2xx in time; status any other answer.',
          { '{{result}}': rateOf('inventory_webhooks_attempt_duration_count', 'result') },
        ),
        lines(
          'Time of requests (p50, p99)',
          's',
          'How long endpoints take.',
          medianAndSlow('inventory_webhooks_attempt_duration'),
        ),
        lines('Backlog', 'short', 'due: to be sent now. retrying: their endpoints failed.', {
          due: 'max(inventory_webhooks_due)',
          retrying: 'max(inventory_webhooks_retrying)',
        }),
        lines(
          'Endpoints switched off',
          'short',
          'Since the processes started. gone: answered 410. failing: nothing but failures for days.',
          { '{{reason}}': 'sum by (reason) (inventory_webhooks_disabled_total)' },
        ),
      ],
    },
  ],
};
