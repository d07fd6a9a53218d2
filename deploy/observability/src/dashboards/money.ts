import { type DashboardPlan, medianAndSlow, rateOf } from './dashboard-plan.ts';

export const money: DashboardPlan = {
  uid: 'inventory-money',
  title: 'Inventory: money',
  description: 'Credits and units: what is held, what moves, what is refused, what is undone.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Holds open',
          description: 'Reserved for refreshes that have not ended; of the accounts in memory.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_ledger_holds_open)', legend: 'holds' }],
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
          title: 'Problems found by verify',
          description: 'Of the last verification; no figure before the first. Always 0.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'max(inventory_ledger_verify_problems)', legend: 'problems' }],
        },
        {
          title: 'Accounts in quarantine',
          description: 'Their commands go to the dead letters. Always 0.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [{ expr: 'max(inventory_ledger_accounts_quarantined)', legend: 'accounts' }],
        },
        {
          title: 'Page charges under way',
          description: 'Charged pages that are neither delivered nor given up.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_gateway_intents_open)', legend: 'intents' }],
        },
        {
          title: 'Id conflicts',
          description:
            'Billing commands under the id of another, since the ledgers started. Always 0.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [
            {
              expr: 'sum(inventory_ledger_command_conflicts_total) or vector(0)',
              legend: 'conflicts',
            },
          ],
        },
        {
          title: 'Holds lost',
          description:
            'Refreshes completed without a charge, since the collectors started. Always 0.',
          unit: 'short',
          shows: 'figure',
          failAt: 1,
          queries: [
            { expr: 'sum(inventory_refresh_holds_lost_total) or vector(0)', legend: 'holds' },
          ],
        },
        {
          title: 'Clock offset',
          description:
            "Greatest difference of a ledger's clock from MongoDB's. From CLOCK_OFFSET_MAX_MS (5 s) on it writes nothing.",
          unit: 's',
          shows: 'figure',
          failAt: 5,
          queries: [{ expr: 'max(abs(inventory_ledger_clock_offset))', legend: 'offset' }],
        },
        {
          title: 'Accounts in memory',
          description: 'Of CACHED_ACCOUNTS_MAX (20,000) each.',
          unit: 'short',
          shows: 'figure',
          queries: [{ expr: 'sum(inventory_ledger_accounts_cached)', legend: 'accounts' }],
        },
      ],
    },
    {
      title: 'What moves',
      panels: [
        {
          title: 'Moved, by kind',
          description: 'Credits or units a second. What is reserved is later settled or released.',
          unit: 'ops',
          shows: 'lines',
          queries: [
            {
              expr: rateOf('inventory_ledger_moved_total', 'kind, asset'),
              legend: '{{kind}} {{asset}}',
            },
          ],
        },
        {
          title: 'Refused, by code',
          description: 'insufficient_credits and spend_cap_reached are what customers ran into.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf('inventory_ledger_refusals_total', 'command, code'),
              legend: '{{command}}: {{code}}',
            },
          ],
        },
        {
          title: 'Age of the oldest hold',
          description: 'A straight line upwards is a hold that is never ended.',
          unit: 's',
          shows: 'lines',
          failAt: 7_200,
          queries: [{ expr: 'max(inventory_ledger_holds_oldest_age)', legend: 'oldest' }],
        },
      ],
    },
    {
      title: 'Pages',
      panels: [
        {
          title: 'Wait for a charge (p50, p99)',
          description: 'Part of every page that is charged.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow('inventory_gateway_charge_wait'),
        },
        {
          title: 'Charges, by how the wait ended',
          description: 'unknown is answered 503 and undone; not_sent never reached the ledger.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            { expr: rateOf('inventory_gateway_charge_wait_count', 'result'), legend: '{{result}}' },
          ],
        },
        {
          title: 'Undone and given away',
          description:
            'Reversed: charged and not delivered. Given away: delivered, and its charge is undone all the same.',
          unit: 'ops',
          shows: 'lines',
          queries: [
            {
              expr: rateOf('inventory_gateway_reversals_total', 'result'),
              legend: 'reversed: {{result}}',
            },
            { expr: rateOf('inventory_gateway_pages_given_away_total'), legend: 'given away' },
          ],
        },
      ],
    },
    {
      title: 'The ledger at work',
      panels: [
        {
          title: 'Time to make commits durable (p50, p99)',
          description: 'One round of the journal.',
          unit: 's',
          shows: 'lines',
          queries: medianAndSlow('inventory_ledger_commit_duration'),
        },
        {
          title: 'Commands in a batch (p50, p99)',
          description: 'Near COMMAND_BATCH_MAX (500) there is a backlog.',
          unit: 'short',
          shows: 'lines',
          queries: medianAndSlow('inventory_ledger_batch_commands'),
        },
        {
          title: 'Repetitions and verifications',
          description: 'Commands that were answered before, and verifications of the journal.',
          unit: 'ops',
          shows: 'lines',
          queries: [
            { expr: rateOf('inventory_ledger_repetitions_total'), legend: 'repetitions' },
            {
              expr: rateOf('inventory_ledger_verify_duration_count', 'result'),
              legend: 'verification: {{result}}',
            },
          ],
        },
      ],
    },
  ],
};
