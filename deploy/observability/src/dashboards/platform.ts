import {
  areas,
  type DashboardPlan,
  figure,
  lines,
  medianAndSlow,
  quantileOf,
  rateOf,
} from './dashboard-plan.ts';

const answers = 'inventory_platform_request_duration';

const queue: DashboardPlan['rows'][number] = {
  title: 'The queue',
  panels: [
    lines(
      'Expected wait',
      's',
      'Time that all waiting pages take at the pages a minute of the identities.',
      { wait: 'max(inventory_plan_wait)' },
    ),
    lines(
      'Pages, by plan',
      'short',
      'reserved: of running scans. waiting: of all refreshes, the reserved ones included. free: fit before the last deadline; without them no refresh is admitted.',
      { '{{kind}}': 'max by (kind) (inventory_plan_pages)' },
    ),
    areas(
      'Pages of scans that ended',
      'ops',
      'complete: paid. wasted: read for a scan that brought nothing.',
      { '{{result}}': rateOf('inventory_scan_pages_total', 'result') },
    ),
    areas(
      'Slots used, by purpose',
      'reqps',
      'Requests through the identities, whatever the platform answered.',
      { '{{purpose}}': rateOf(`${answers}_count`, 'purpose') },
    ),
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
        figure('Pages a second', 'ops', 'Good pages, of scans and live.', {
          pages: rateOf(`${answers}_count`, '', 'answer="page"'),
        }),
        figure('Identities free', 'short', 'May ask at once.', {
          free: 'max(inventory_identity_states{state="free"})',
        }),
        figure(
          'Identities silent',
          'short',
          'The platform refused them: 90 s of silence at first, doubling to 30 min.',
          { silent: 'max(inventory_identity_states{state="silent"})' },
          { warnAt: 1 },
        ),
        figure(
          'Waiting for an identity',
          'short',
          'Pages of scans and live pages, over all collectors.',
          { waiting: 'sum(inventory_identity_waits)' },
        ),
        figure(
          'Applications shut out',
          'short',
          'Most of their latest inventories failed: no refresh of them is admitted.',
          { applications: 'max(inventory_app_breaker_open)' },
          { failAt: 1 },
        ),
        figure('Live pages running', 'short', 'Clients that wait for one at this moment.', {
          'live pages': 'sum(inventory_live_pages_running)',
        }),
      ],
    },
    queue,
    {
      title: 'The platform',
      panels: [
        areas(
          'Answers, by meaning',
          'reqps',
          'throttled silences the identity; bad_request is a page size, or an address, that is not accepted any more.',
          { '{{answer}}': rateOf(`${answers}_count`, 'answer') },
        ),
        lines(
          'Time to answer (p50, p99)',
          's',
          'Without the wait for an identity.',
          medianAndSlow(answers, 'purpose'),
        ),
        areas(
          'Pages, by purpose',
          'ops',
          'Live pages go before scans, and leave at least every fifth slot to them.',
          { '{{purpose}}': rateOf(`${answers}_count`, 'purpose', 'answer="page"') },
        ),
      ],
    },
    {
      title: 'Egress identities',
      panels: [
        areas(
          'Identities, by state',
          'short',
          'in_use: one request under way. resting: paced. silent: refused by the platform. unreachable: no connection. None free for long: add some.',
          { '{{state}}': 'max by (state) (inventory_identity_states)' },
        ),
        areas(
          'Waiting, by collector',
          'short',
          'For an identity. All wait alike when there are too few.',
          { '{{instance}}': 'sum by (instance) (inventory_identity_waits)' },
        ),
        areas(
          'Scans, by collector',
          'short',
          'Accounts take turns; each collector takes its part.',
          { '{{instance}}': 'sum by (instance) (inventory_scans_running)' },
        ),
      ],
    },
    {
      title: 'Live pages',
      panels: [
        areas(
          'Live pages, by result',
          'ops',
          'page, private and not_found are answers; the rest costs the client nothing.',
          { '{{result}}': rateOf('inventory_live_pages_duration_count', 'result') },
        ),
        lines('Time of live pages (p99)', 's', 'The wait for an identity included.', {
          '{{result}}': quantileOf(0.99, 'inventory_live_pages_duration', 'result'),
        }),
        areas(
          'Captures',
          'ops',
          'Chains of live pages that were saved, or why they could not be; they are read all the same.',
          {
            saved: rateOf('inventory_gateway_captures_completed_total'),
            'not saved: {{reason}}': rateOf('inventory_gateway_captures_ended_total', 'reason'),
          },
        ),
      ],
    },
  ],
};
