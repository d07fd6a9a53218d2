import { instrumentsOf } from '@inventory/runtime/instruments';
import { metrics } from '@opentelemetry/api';

const { gauge } = instrumentsOf(metrics.getMeter('@inventory/billing-ledger'));

const cachedAccounts = gauge({
  name: 'inventory.ledger.accounts.cached',
  description: 'Accounts cached in memory',
});
const quarantinedAccounts = gauge({
  name: 'inventory.ledger.accounts.quarantined',
  description: 'Accounts in quarantine: their commands go to the dead letters',
});
const behindAccounts = gauge({
  name: 'inventory.ledger.accounts.behind',
  description: 'Accounts whose commands wait until this replica has rebuilt their snapshot',
});
const openHolds = gauge({
  name: 'inventory.ledger.holds.open',
  description: 'Open holds of the accounts cached by this replica',
});
const oldestHoldAge = gauge({
  name: 'inventory.ledger.holds.oldest.age',
  description:
    'Age of the oldest open hold, of cached accounts or, as last looked up, of all accounts; 0 when there is none',
  unit: 's',
});
const clockOffset = gauge({
  name: 'inventory.ledger.clock.offset',
  description: "How far the replica's clock is ahead of MongoDB's; negative behind it",
  unit: 's',
});

export interface LedgerGauges {
  readonly accountsCached: () => number;
  readonly accountsQuarantined: () => number;
  readonly accountsBehind: () => number;
  readonly holds: () => OpenHolds;
  readonly now: () => number;
  readonly clockOffsetMs: () => number | null;
}

export interface OpenHolds {
  readonly open: number;
  /** When the oldest was made; null when none is known. */
  readonly oldestAtMs: number | null;
}

/** What is read when metrics are collected. */
export function observeLedger(gauges: LedgerGauges): void {
  const { accountsCached, accountsQuarantined, accountsBehind, holds, now, clockOffsetMs } = gauges;
  clockOffset.observe((observe) => {
    const offsetMs = clockOffsetMs();
    if (offsetMs !== null) observe(offsetMs / 1_000);
  });
  cachedAccounts.observe((observe) => observe(accountsCached()));
  quarantinedAccounts.observe((observe) => observe(accountsQuarantined()));
  behindAccounts.observe((observe) => observe(accountsBehind()));
  openHolds.observe((observe) => observe(holds().open));
  oldestHoldAge.observe((observe) => {
    const { oldestAtMs } = holds();
    observe(oldestAtMs === null ? 0 : Math.max(0, now() - oldestAtMs) / 1_000);
  });
}
