import { counted, shareOf } from './promql.ts';
import { alertRule, type RuleGroup } from './rule-plan.ts';

const ended = 'inventory_refresh_duration_count';

export const refreshAlerts: RuleGroup = {
  name: 'refreshes',
  rules: [
    alertRule({
      name: 'RefreshStuck',
      severity: 'page',
      expr: 'max by (phase) (inventory_refresh_stuck) > 0',
      for: '5m',
      summary: 'Refreshes do not advance without a repair.',
      description:
        '{{ $value }} refreshes are stuck in {{ $labels.phase }}; their holds stay reserved.',
    }),
    alertRule({
      name: 'RefreshesSetAside',
      severity: 'page',
      expr: 'max(inventory_refresh_set_aside) > 0',
      for: '5m',
      summary: 'Planned steps of refreshes fail again and again.',
      description:
        '{{ $value }} refreshes neither start nor end: their step of the plan failed five times in a row or more.',
    }),
    alertRule({
      name: 'HoldsLost',
      severity: 'page',
      expr: `${counted('inventory_refresh_holds_lost_total', '15m', 'service')} > 0`,
      for: '0s',
      keepFiringFor: '30m',
      summary: 'Refreshes were completed without a charge: the ledger had no hold to settle.',
      description: '{{ $value }} refreshes. The ledger has lost entries, as after a restore.',
    }),
    alertRule({
      name: 'RefreshQueueOld',
      severity: 'ticket',
      // A third of QUEUE_DEADLINE_MS: what is left is time to do something.
      expr: 'max(inventory_refresh_open_oldest_age{phase="queued"}) > 600',
      for: '5m',
      summary: 'Refreshes wait long before they are collected.',
      description:
        'The oldest was requested {{ $value | humanizeDuration }} ago; after 30 minutes it ends uncollected.',
    }),
    alertRule({
      name: 'RefreshesFailing',
      severity: 'page',
      expr: `${shareOf({ of: `${ended}{outcome="internal_failure"}`, among: ended, window: '30m', leastEvents: 10 })} > 0.05`,
      for: '5m',
      summary: 'Refreshes end by a fault of ours.',
      description:
        '{{ $value | humanizePercentage }} of the refreshes of half an hour ended as internal_failure.',
    }),
    alertRule({
      name: 'RefreshesIncomplete',
      severity: 'ticket',
      expr: `${shareOf({ of: `${ended}{outcome=~"upstream_unavailable|incomplete"}`, among: ended, window: '30m', leastEvents: 20 })} > 0.25`,
      for: '10m',
      summary: 'Many refreshes end without an inventory.',
      description:
        '{{ $value | humanizePercentage }} of the refreshes of half an hour ended as upstream_unavailable or incomplete.',
    }),
    alertRule({
      name: 'AssembliesWaiting',
      severity: 'ticket',
      expr: 'max(inventory_assembly_waiting) > 200',
      for: '10m',
      summary: 'Collected inventories wait to be saved.',
      description: '{{ $value }} scans are handed over and not decided.',
    }),
  ],
};
