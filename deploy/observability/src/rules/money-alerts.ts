import { counted, shareOf } from './promql.ts';
import { alertRule, type RuleGroup } from './rule-plan.ts';

export const moneyAlerts: RuleGroup = {
  name: 'money',
  rules: [
    alertRule({
      name: 'HoldOld',
      severity: 'page',
      // Queue and collection may take 90 minutes together.
      expr: 'max(inventory_ledger_holds_oldest_age) > 7200',
      for: '5m',
      summary: "A customer's credits are held for longer than any refresh lasts.",
      description: 'The oldest open hold was made {{ $value | humanizeDuration }} ago.',
    }),
    alertRule({
      name: 'LedgerVerifyFailed',
      severity: 'page',
      expr: 'max(inventory_ledger_verify_problems) > 0',
      for: '0s',
      summary: 'The ledger does not add up.',
      description: 'The last verification found {{ $value }} problems.',
    }),
    alertRule({
      name: 'LedgerVerifyUnfinished',
      severity: 'ticket',
      // One is due each night, and may take hours.
      expr: 'max(inventory_ledger_verify_age) > 108000',
      for: '10m',
      summary: 'No verification of the ledger has finished for 30 hours.',
      description: 'The last one finished {{ $value | humanizeDuration }} ago.',
    }),
    alertRule({
      name: 'AccountQuarantined',
      severity: 'page',
      expr: 'max(inventory_ledger_accounts_quarantined) > 0',
      for: '0s',
      summary: 'Commands of an account go to the dead letters: its journal does not add up.',
      description: '{{ $value }} accounts are in quarantine.',
    }),
    alertRule({
      name: 'LedgerClockSkewed',
      severity: 'page',
      expr: 'max(abs(inventory_ledger_clock_offset)) > 5',
      for: '1m',
      summary: "A ledger replica's clock differs from MongoDB's, so it writes nothing.",
      description: 'The clocks differ by {{ $value | humanizeDuration }}.',
    }),
    alertRule({
      name: 'CommandConflict',
      severity: 'ticket',
      expr: `${counted('inventory_ledger_command_conflicts_total', '15m', 'service')} > 0`,
      for: '0s',
      keepFiringFor: '30m',
      summary: 'A billing command came under the id of another one.',
      description:
        'It moved nothing. Its sender makes ids that are not unique, or changes what it repeats.',
    }),
    alertRule({
      name: 'PagesReversed',
      severity: 'ticket',
      expr: `${shareOf({ of: 'inventory_gateway_reversals_total{result="applied"}', among: 'inventory_ledger_moved_total{kind="charge"}', window: '1h', leastEvents: 100 })} > 0.02`,
      for: '10m',
      summary: 'Charges of pages are undone more often than clients break off.',
      description:
        'Reversals are {{ $value | humanizePercentage }} of what was charged within an hour.',
    }),
    alertRule({
      name: 'PagesGivenAway',
      severity: 'ticket',
      expr: `${counted('inventory_gateway_pages_given_away_total', '1h', 'service')} > 10`,
      for: '0s',
      keepFiringFor: '30m',
      summary: 'Pages were delivered whose charge is undone.',
      description: '{{ $value }} pages within an hour: their intents could not be deleted in time.',
    }),
  ],
};
