import {
  areas,
  type DashboardPlan,
  lines,
  type PanelPlan,
  quantileOf,
  rateOf,
} from './dashboard-plan.ts';

const spans = 'traces_span_metrics_duration_seconds';
const calls = 'traces_span_metrics_calls_total';
const kind = (...kinds: string[]) => `span_kind=~"SPAN_KIND_(${kinds.join('|')})"`;
const failed = 'status_code="STATUS_CODE_ERROR"';
const legend = '{{service_name}} {{span_name}}';
const spanLabels = 'service_name, span_name';

/** The slow end of the five slowest kinds of span, beside points that open as traces. */
function slowest(title: string, description: string, selector: string): PanelPlan {
  const expr = `topk(5, ${quantileOf(0.99, spans, spanLabels, selector)})`;
  return lines(title, 's', description, { [legend]: expr }, { leadsToTraces: true });
}

export const traces: DashboardPlan = {
  uid: 'inventory-traces',
  title: 'Inventory: traces',
  description:
    'From a slow or failed request to its trace. Points are spans: choose one, then Query with Jaeger. Failed traces and those of 2 s or more are kept, one in ten of the others.',
  rows: [
    {
      title: 'Slow',
      panels: [
        slowest(
          'Slowest requests (p99)',
          'The requests of clients and of our own services, without the wait of streams and of status requests.',
          `${kind('SERVER')}, span_name!~".*/stream|GET /v2/platform/inventory-refreshes/[{]refresh_id[}]"`,
        ),
        slowest(
          'Slowest handling of messages (p99)',
          'From the read message to its commit: `process` and the topic.',
          kind('CONSUMER'),
        ),
        slowest(
          'Slowest calls (p99)',
          'Database commands, requests to other services, to the platform and to webhooks.',
          kind('CLIENT'),
        ),
        slowest(
          'Slowest steps (p99)',
          'Work inside a service: scans, assemblies, batches of the ledger, jobs.',
          kind('INTERNAL'),
        ),
      ],
    },
    {
      title: 'Failed and frequent',
      panels: [
        lines(
          'Failed spans',
          'ops',
          'By service and name: requests answered with 500 or more, calls answered with 400 or more, work that threw.',
          { [legend]: rateOf(calls, spanLabels, failed) },
          { leadsToTraces: true },
        ),
        lines('Busiest spans', 'ops', 'The ten most frequent: where recording traces costs most.', {
          [legend]: `topk(10, ${rateOf(calls, spanLabels)})`,
        }),
        areas(
          'Time at work, by service',
          'short',
          'Seconds of server and consumer spans in a second: how many are under way on average.',
          {
            '{{service_name}}': rateOf(`${spans}_sum`, 'service_name', kind('SERVER', 'CONSUMER')),
          },
        ),
      ],
    },
  ],
};
