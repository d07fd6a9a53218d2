import { type DashboardPlan, medianAndSlow, quantileOf, rateOf } from './dashboard-plan.ts';

const answers = 'inventory_platform_request_duration';

const queue: DashboardPlan['rows'][number] = {
  title: 'The queue',
  panels: [
    {
      title: 'Expected wait',
      description: 'Time that all waiting pages take at the pages a minute of the identities.',
      unit: 's',
      shows: 'lines',
      queries: [{ expr: 'max(inventory_plan_wait)', legend: 'wait' }],
    },
    {
      title: 'Pages, by plan',
      description:
        'reserved: of running scans. waiting: of all refreshes, the reserved ones included. free: fit before the last deadline; without them no refresh is admitted.',
      unit: 'short',
      shows: 'lines',
      queries: [{ expr: 'max by (kind) (inventory_plan_pages)', legend: '{{kind}}' }],
    },
    {
      title: 'Pages of scans that ended',
      description: 'complete: paid. wasted: read for a scan that brought nothing.',
      unit: 'ops',
      shows: 'areas',
      queries: [{ expr: rateOf('inventory_scan_pages_total', 'result'), legend: '{{result}}' }],
    },
    {
      title: 'Slots used, by purpose',
      description: 'Requests through the identities, whatever the platform answered.',
      unit: 'reqps',
      shows: 'areas',
      queries: [{ expr: rateOf(`${answers}_count`, 'purpose'), legend: '{{purpose}}' }],
    },
  ],
};

export const platform: DashboardPlan = {
  uid: 'inventory-platform',
  title: 'Inventory: platform and identities',
  description: 'What the platform answers, and how much of it the egress identities may ask for.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Pages a second',
          description: 'Good pages, of scans and live.',
          unit: 'ops',
          shows: 'figure',
          queries: [{ expr: rateOf(`${answers}_count`, '', 'answer="page"'), legend: 'pages' }],
        },
        {
          title: 'Identities free',
          description: 'May ask at once.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'max(inventory_identity_states{state="free"})', legend: 'free' }],
        },
        {
          title: 'Identities silent',
          description: 'The platform refused them: 90 s of silence at first, doubling to 30 min.',
          unit: 'short',
          shows: 'figure',
          warnAt: 1,
          queries: [{ expr: 'max(inventory_identity_states{state="silent"})', legend: 'silent' }],
        },
        {
          title: 'Waiting for an identity',
          description: 'Pages of scans and live pages, over all collectors.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_identity_waits)', legend: 'waiting' }],
        },
        {
          title: 'Applications shut out',
          description: 'Most of their latest inventories failed: no refresh of them is admitted.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'max(inventory_app_breaker_open)', legend: 'applications' }],
        },
        {
          title: 'Live pages running',
          description: 'Clients that wait for one at this moment.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_live_pages_running)', legend: 'live pages' }],
        },
      ],
    },
    queue,
    {
      title: 'The platform',
      panels: [
        {
          title: 'Answers, by meaning',
          description:
            'throttled silences the identity; bad_request is a page size, or an address, that is not accepted any more.',
          unit: 'reqps',
          shows: 'areas',
          queries: [{ expr: rateOf(`${answers}_count`, 'answer'), legend: '{{answer}}' }],
        },
        {
          title: 'Time to answer (p50, p99)',
          description: 'Without the wait for an identity.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow(answers, 'purpose'),
        },
        {
          title: 'Pages, by purpose',
          description: 'Live pages go before scans, and leave at least every fifth slot to them.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            { expr: rateOf(`${answers}_count`, 'purpose', 'answer="page"'), legend: '{{purpose}}' },
          ],
        },
      ],
    },
    {
      title: 'Egress identities',
      panels: [
        {
          title: 'Identities, by state',
          description:
            'in_use: one request under way. resting: paced. silent: refused by the platform. unreachable: no connection. None free for long: add some.',
          unit: 'short',
          shows: 'areas',
          queries: [{ expr: 'max by (state) (inventory_identity_states)', legend: '{{state}}' }],
        },
        {
          title: 'Waiting, by collector',
          description: 'For an identity. All wait alike when there are too few.',
          unit: 'short',
          shows: 'areas',
          queries: [
            { expr: 'sum by (instance) (inventory_identity_waits)', legend: '{{instance}}' },
          ],
        },
        {
          title: 'Scans, by collector',
          description: 'Accounts take turns; each collector takes its part.',
          unit: 'short',
          shows: 'areas',
          queries: [
            { expr: 'sum by (instance) (inventory_scans_running)', legend: '{{instance}}' },
          ],
        },
      ],
    },
    {
      title: 'Live pages',
      panels: [
        {
          title: 'Live pages, by result',
          description:
            'page, private and not_found are answers; the rest costs the client nothing.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            { expr: rateOf('inventory_live_pages_duration_count', 'result'), legend: '{{result}}' },
          ],
        },
        {
          title: 'Time of live pages (p99)',
          description: 'The wait for an identity included.',
          unit: 's',
          shows: 'lines',
          queries: [
            {
              expr: quantileOf(0.99, 'inventory_live_pages_duration', 'result'),
              legend: '{{result}}',
            },
          ],
        },
        {
          title: 'Captures',
          description:
            'Chains of live pages that were saved, or why they could not be; they are read all the same.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            { expr: rateOf('inventory_gateway_captures_completed_total'), legend: 'saved' },
            {
              expr: rateOf('inventory_gateway_captures_ended_total', 'reason'),
              legend: 'not saved: {{reason}}',
            },
          ],
        },
      ],
    },
  ],
};
