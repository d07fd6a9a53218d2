import { type DashboardPlan, medianAndSlow, quantileOf, rateOf } from './dashboard-plan.ts';

export const refreshSaga: DashboardPlan = {
  uid: 'inventory-refreshes',
  title: 'Inventory: refreshes',
  description:
    'A refresh from its acceptance to its event: accepted, queued, collecting, assembling, settling.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Outstanding',
          description: 'Not terminal. Admission closes at OUTSTANDING_MAX (10,000).',
          unit: 'short',
          shows: 'figure',
          warnAt: 5_000,
          failAt: 9_000,
          queries: [{ expr: 'max(inventory_refresh_outstanding)', legend: 'outstanding' }],
        },
        {
          title: 'Oldest in the queue',
          description: 'After QUEUE_DEADLINE_MS (30 min) a refresh ends uncollected.',
          unit: 's',
          shows: 'figure',
          warnAt: 600,
          failAt: 1_500,
          queries: [
            { expr: 'max(inventory_refresh_open_oldest_age{phase="queued"})', legend: 'age' },
          ],
        },
        {
          title: 'Stuck',
          description: 'They do not advance without a repair. Always 0.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'sum(max by (phase) (inventory_refresh_stuck))', legend: 'stuck' }],
        },
        {
          title: 'Set aside',
          description: 'Their planned step failed five times in a row or more. Always 0.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'max(inventory_refresh_set_aside)', legend: 'set aside' }],
        },
        {
          title: 'Scans running',
          description: 'Over all collectors; each runs up to SCANS_MAX (64).',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_scans_running)', legend: 'scans' }],
        },
        {
          title: 'Waiting to be saved',
          description: 'Scans that were handed over and are not decided.',
          unit: 'short',
          shows: 'figure',
          warnAt: 50,
          failAt: 200,
          queries: [{ expr: 'max(inventory_assembly_waiting)', legend: 'scans' }],
        },
        {
          title: 'Admission closed',
          description: '1 while every POST of a refresh is refused, by load or by an operator.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'max(inventory_admission_closed)', legend: 'closed' }],
        },
      ],
    },
    {
      title: 'From acceptance to the end',
      panels: [
        {
          title: 'Open, by phase',
          description: 'Where refreshes are. What grows is where they wait.',
          unit: 'short',
          shows: 'areas',
          queries: [{ expr: 'max by (phase) (inventory_refresh_open)', legend: '{{phase}}' }],
        },
        {
          title: 'Oldest, by phase',
          description: 'Age since it was requested. Only queued and collecting may last minutes.',
          unit: 's',
          shows: 'lines',
          queries: [
            { expr: 'max by (phase) (inventory_refresh_open_oldest_age)', legend: '{{phase}}' },
          ],
        },
        {
          title: 'Oldest that is stuck, by phase',
          description:
            'Its command was sent five times without an answer, or its deadline is past.',
          unit: 's',
          shows: 'lines',
          queries: [
            { expr: 'max by (phase) (inventory_refresh_stuck_oldest_age)', legend: '{{phase}}' },
          ],
        },
        {
          title: 'Ended, by outcome',
          description: 'internal_failure is ours.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            { expr: rateOf('inventory_refresh_duration_count', 'outcome'), legend: '{{outcome}}' },
          ],
        },
        {
          title: 'Time to the end (p95), by outcome',
          description: 'From acceptance to the outcome, queue included.',
          unit: 's',
          shows: 'lines',
          queries: [
            {
              expr: quantileOf(0.95, 'inventory_refresh_duration', 'outcome'),
              legend: '{{outcome}}',
            },
          ],
        },
        {
          title: 'Phases entered',
          description:
            'All grow alike while refreshes flow; the first that does not is where they stop.',
          unit: 'ops',
          shows: 'lines',
          queries: [
            { expr: rateOf('inventory_refresh_transitions_total', 'phase'), legend: '{{phase}}' },
          ],
        },
      ],
    },
    {
      title: 'Admission',
      panels: [
        {
          title: 'Wait for the decision (p50, p99)',
          description: 'How long a POST waits for the collector, and so for the ledger.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow('inventory_gateway_decision_wait'),
        },
        {
          title: 'Decisions, by how the wait ended',
          description:
            'unknown is answered 503 after DECISION_TIMEOUT_MS; the refresh may live. not_sent certainly does not.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf('inventory_gateway_decision_wait_count', 'result'),
              legend: '{{result}}',
            },
          ],
        },
        {
          title: 'Closed, by reason',
          description:
            'global_outstanding_closed: too many are outstanding. operator_closed: closed by an operator.',
          unit: 'short',
          shows: 'lines',
          queries: [{ expr: 'max by (reason) (inventory_admission_closed)', legend: '{{reason}}' }],
        },
      ],
    },
    {
      title: 'Saving',
      panels: [
        {
          title: 'Time to assemble (p50, p99)',
          description: 'One try to make a revision of the pages of a scan.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow('inventory_assembly_duration'),
        },
        {
          title: 'Scans decided',
          description: 'committed, or why not.',
          unit: 'ops',
          shows: 'areas',
          queries: [{ expr: rateOf('inventory_scans_total', 'decision'), legend: '{{decision}}' }],
        },
        {
          title: 'Pages handed over',
          description:
            'Bytes staged; known were staged before, refused did not follow the contract.',
          unit: 'Bps',
          shows: 'areas',
          queries: [
            { expr: rateOf('inventory_staged_bytes_total', 'result'), legend: '{{result}}' },
          ],
        },
      ],
    },
  ],
};
