import {
  areas,
  type DashboardPlan,
  figure,
  lines,
  medianAndSlow,
  quantileOf,
  rateOf,
} from './dashboard-plan.ts';

export const refreshSaga: DashboardPlan = {
  uid: 'inventory-refreshes',
  title: 'Inventory: refreshes',
  description:
    'A refresh from its acceptance to its event: accepted, queued, collecting, assembling, settling.',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Outstanding',
          'short',
          'Not terminal. Admission closes at OUTSTANDING_MAX (10,000).',
          { outstanding: 'max(inventory_refresh_outstanding)' },
          { warnAt: 5_000, failAt: 9_000 },
        ),
        figure(
          'Oldest in the queue',
          's',
          'After QUEUE_DEADLINE_MS (30 min) a refresh ends uncollected.',
          { age: 'max(inventory_refresh_open_oldest_age{phase="queued"})' },
          { warnAt: 600, failAt: 1_500 },
        ),
        figure(
          'Stuck',
          'short',
          'They do not advance without a repair. Always 0.',
          { stuck: 'sum(max by (phase) (inventory_refresh_stuck))' },
          { failAt: 1 },
        ),
        figure(
          'Set aside',
          'short',
          'Their planned step failed five times in a row or more. Always 0.',
          { 'set aside': 'max(inventory_refresh_set_aside)' },
          { failAt: 1 },
        ),
        figure('Scans running', 'short', 'Over all collectors; each runs up to SCANS_MAX (64).', {
          scans: 'sum(inventory_scans_running)',
        }),
        figure(
          'Waiting to be saved',
          'short',
          'Scans that were handed over and are not decided.',
          { scans: 'max(inventory_assembly_waiting)' },
          { warnAt: 50, failAt: 200 },
        ),
        figure(
          'Admission closed',
          'short',
          '1 while every POST of a refresh is refused, by load or by an operator.',
          { closed: 'max(inventory_admission_closed)' },
          { failAt: 1 },
        ),
      ],
    },
    {
      title: 'From acceptance to the end',
      panels: [
        areas('Open, by phase', 'short', 'Where refreshes are. What grows is where they wait.', {
          '{{phase}}': 'max by (phase) (inventory_refresh_open)',
        }),
        lines(
          'Oldest, by phase',
          's',
          'Age since it was requested. Only queued and collecting may last minutes.',
          { '{{phase}}': 'max by (phase) (inventory_refresh_open_oldest_age)' },
        ),
        lines(
          'Oldest that is stuck, by phase',
          's',
          'Its command was sent five times without an answer, or its deadline is past.',
          { '{{phase}}': 'max by (phase) (inventory_refresh_stuck_oldest_age)' },
        ),
        areas('Ended, by outcome', 'ops', 'internal_failure is ours.', {
          '{{outcome}}': rateOf('inventory_refresh_duration_count', 'outcome'),
        }),
        lines(
          'Time to the end (p95), by outcome',
          's',
          'From acceptance to the outcome, queue included.',
          { '{{outcome}}': quantileOf(0.95, 'inventory_refresh_duration', 'outcome') },
        ),
        lines(
          'Phases entered',
          'ops',
          'All grow alike while refreshes flow; the first that does not is where they stop.',
          { '{{phase}}': rateOf('inventory_refresh_transitions_total', 'phase') },
        ),
      ],
    },
    {
      title: 'Admission',
      panels: [
        lines(
          'Wait for the decision (p50, p99)',
          's',
          'How long a POST waits for the collector, and so for the ledger.',
          medianAndSlow('inventory_gateway_decision_wait'),
        ),
        areas(
          'Decisions, by how the wait ended',
          'ops',
          'unknown is answered 503 after DECISION_TIMEOUT_MS; the refresh may live. not_sent certainly does not.',
          { '{{result}}': rateOf('inventory_gateway_decision_wait_count', 'result') },
        ),
        lines(
          'Closed, by reason',
          'short',
          'global_outstanding_closed: too many are outstanding. operator_closed: closed by an operator.',
          { '{{reason}}': 'max by (reason) (inventory_admission_closed)' },
        ),
      ],
    },
    {
      title: 'Saving',
      panels: [
        lines(
          'Time to assemble (p50, p99)',
          's',
          'One try to make a revision of the pages of a scan.',
          medianAndSlow('inventory_assembly_duration'),
        ),
        areas('Scans decided', 'ops', 'committed, or why not.', {
          '{{decision}}': rateOf('inventory_scans_total', 'decision'),
        }),
        areas(
          'Pages handed over',
          'Bps',
          'Bytes staged; known were staged before, refused did not follow the contract.',
          { '{{result}}': rateOf('inventory_staged_bytes_total', 'result') },
        ),
      ],
    },
  ],
};
