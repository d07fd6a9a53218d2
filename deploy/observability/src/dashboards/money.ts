import {
  areas,
  type DashboardPlan,
  figure,
  lines,
  medianAndSlow,
  rateOf,
} from './dashboard-plan.ts';

export const money: DashboardPlan = {
  uid: 'inventory-money',
  title: 'Inventory: money',
  description: 'Credits and units: what is held, what moves, what is refused, what is undone.',
  rows: [
    {
      title: 'Now',
      panels: [
        figure(
          'Holds open',
          'short',
          'Reserved for refreshes that have not ended; of the accounts in memory.',
          { holds: 'sum(inventory_ledger_holds_open)' },
        ),
        figure(
          'Oldest hold',
          's',
          'No refresh lasts longer than 90 minutes, so no hold does.',
          { age: 'max(inventory_ledger_holds_oldest_age)' },
          { warnAt: 5_400, failAt: 7_200 },
        ),
        figure(
          'Problems found by verify',
          'short',
          'Of the last verification; no figure before the first. Always 0.',
          { problems: 'max(inventory_ledger_verify_problems)' },
          { failAt: 1 },
        ),
        figure(
          'Accounts in quarantine',
          'short',
          'Their commands go to the dead letters. Always 0.',
          { accounts: 'max(inventory_ledger_accounts_quarantined)' },
          { failAt: 1 },
        ),
        figure(
          'Page charges under way',
          'short',
          'Charged pages that are neither delivered nor given up.',
          { intents: 'sum(inventory_gateway_intents_open)' },
        ),
        figure(
          'Id conflicts',
          'short',
          'Billing commands under the id of another, since the ledgers started. Always 0.',
          { conflicts: 'sum(inventory_ledger_command_conflicts_total) or vector(0)' },
          { failAt: 1 },
        ),
        figure(
          'Holds lost',
          'short',
          'Refreshes completed without a charge, since the collectors started. Always 0.',
          { holds: 'sum(inventory_refresh_holds_lost_total) or vector(0)' },
          { failAt: 1 },
        ),
        figure(
          'Clock offset',
          's',
          "Greatest difference of a ledger's clock from MongoDB's. From CLOCK_OFFSET_MAX_MS (5 s) on it writes nothing.",
          { offset: 'max(abs(inventory_ledger_clock_offset))' },
          { failAt: 5 },
        ),
        figure('Accounts in memory', 'short', 'Of CACHED_ACCOUNTS_MAX (20,000) each.', {
          accounts: 'sum(inventory_ledger_accounts_cached)',
        }),
      ],
    },
    {
      title: 'What moves',
      panels: [
        lines(
          'Moved, by kind',
          'ops',
          'Credits or units a second. What is reserved is later settled or released.',
          { '{{kind}} {{asset}}': rateOf('inventory_ledger_moved_total', 'kind, asset') },
        ),
        areas(
          'Refused, by code',
          'ops',
          'insufficient_credits and spend_cap_reached are what customers ran into.',
          { '{{command}}: {{code}}': rateOf('inventory_ledger_refusals_total', 'command, code') },
        ),
        lines(
          'Age of the oldest hold',
          's',
          'A straight line upwards is a hold that is never ended.',
          { oldest: 'max(inventory_ledger_holds_oldest_age)' },
          { failAt: 7_200 },
        ),
      ],
    },
    {
      title: 'Pages',
      panels: [
        lines(
          'Wait for a charge (p50, p99)',
          's',
          'Part of every page that is charged.',
          medianAndSlow('inventory_gateway_charge_wait'),
        ),
        areas(
          'Charges, by how the wait ended',
          'ops',
          'unknown is answered 503 and undone; not_sent never reached the ledger.',
          { '{{result}}': rateOf('inventory_gateway_charge_wait_count', 'result') },
        ),
        lines(
          'Undone and given away',
          'ops',
          'Reversed: charged and not delivered. Given away: delivered, and its charge is undone all the same.',
          {
            'reversed: {{result}}': rateOf('inventory_gateway_reversals_total', 'result'),
            'given away': rateOf('inventory_gateway_pages_given_away_total'),
          },
        ),
      ],
    },
    {
      title: 'The ledger at work',
      panels: [
        lines(
          'Time to make commits durable (p50, p99)',
          's',
          'One round of the journal.',
          medianAndSlow('inventory_ledger_commit_duration'),
        ),
        lines(
          'Commands in a batch (p50, p99)',
          'short',
          'Near COMMAND_BATCH_MAX (500) there is a backlog.',
          medianAndSlow('inventory_ledger_batch_commands'),
        ),
        lines(
          'Repetitions and verifications',
          'ops',
          'Commands that were answered before, and verifications of the journal.',
          {
            repetitions: rateOf('inventory_ledger_repetitions_total'),
            'verification: {{result}}': rateOf('inventory_ledger_verify_duration_count', 'result'),
          },
        ),
      ],
    },
  ],
};
