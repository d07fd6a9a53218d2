import { freshIdentity } from '@inventory/refresh-collector/egress/egress-identity.domain';
import { pageCapacities } from '@inventory/refresh-collector/planning/page-capacity.domain';
import { scanShare } from '@inventory/refresh-collector/planning/plan-rules.domain';
import { createQueuedRefreshes } from '@inventory/refresh-collector/planning/queued-refreshes.domain';
import { planScans } from '@inventory/refresh-collector/planning/scan-plan.domain';
import { lessIsBetter, type Row } from '../row.ts';
import { collectMs, queueMs } from './simulate.ts';
import { limits } from './simulated-egress.ts';

const queuedCount = 100_000;
const accounts = 1_000;
const identities = 1_000;
const scansMax = 1_024;
const goalMs = 50;
const plans = 15;
const nowMs = 1_000_000_000;

/** One plan of everything that was queued in one go, beside as many scans as replicas may run. */
export function planCostRow(): Row {
  const queued = createQueuedRefreshes(
    Array.from({ length: queuedCount }, (_, index) => ({
      ...entryOf('queued', index),
      queueDeadlineMs: nowMs + 1_000 + ((index * 17) % queueMs),
      expectedPages: index % 3 === 0 ? null : 1 + (index % 5),
    })),
  );
  const scans = Array.from({ length: scansMax / 2 }, (_, index) => ({
    ...entryOf('running', index),
    deadlineMs: nowMs + collectMs - ((index * 31) % (collectMs / 2)),
    pagesLeft: 1 + (index % 20),
    isSizeKnown: true,
    isReserved: true,
    parked: false,
  }));
  const states = Array.from({ length: identities }, (_, index) => freshIdentity(`${index}`));
  const startCpu = process.cpuUsage();
  for (let plan = 0; plan < plans; plan += 1) {
    planScans(
      {
        nowMs,
        capacity: pageCapacities(states, limits, nowMs),
        queued,
        scans,
        typicalPages: 3,
        isPostponed: () => false,
        scanAllowance: () => 'all',
        lastStartMs: () => undefined,
      },
      {
        collectMs,
        queueMs,
        identities,
        scansMax,
        busyScans: 2 * identities,
        scansPerAccountMax: 16,
        share: scanShare(0),
        pagesMax: 125,
      },
    );
  }
  const { user, system } = process.cpuUsage(startCpu);
  return lessIsBetter({
    name: 'CPU of a plan of 100,000 queued refreshes on 1,000 identities',
    value: (user + system) / 1_000 / plans,
    unit: 'ms',
    yardstick: goalMs,
    floor: 1,
  });
}

const entryOf = (kind: string, index: number) => ({
  id: `${kind}-${index}`,
  accountId: `account-${index % accounts}`,
  inventory: `${kind}-${index}`,
  appId: 730,
});
