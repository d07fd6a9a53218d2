import { serviceNames } from '@inventory/contracts/topics';
import {
  absent,
  ageing,
  always,
  everyMinute,
  falling,
  histogram,
  request,
  type Series,
  series,
  suddenly,
  untilMinute,
  type Values,
} from './planted-series.ts';

/** What replaces a healthy series, and the only alerts that fire after that time. */
export interface PlantedFault {
  readonly fires: readonly string[];
  readonly afterMinutes: number;
  readonly instead: Series;
  /** The same in an installation that never worked, where it differs. */
  readonly neverWorked?: Partial<NeverWorked>;
}

interface NeverWorked {
  readonly fires: string;
  readonly afterMinutes: number;
  readonly instead: Series;
}

const fault = (
  alert: string,
  afterMinutes: number,
  instead: Series,
  alsoFires: readonly string[] = [],
): PlantedFault => ({ fires: [alert, ...alsoFires], afterMinutes, instead });

const minutesOfDay = 24 * 60;
const probeFails = { [series.probe]: always(0) };

function requestsUntil(minute: number): Series {
  const requests = histogram('http_server_request_duration', request, 0.05);
  const refused = `http_server_request_duration_count{${request},error_type="rate_limit_exceeded"}`;
  const names = [...Object.keys(requests), refused];
  return Object.fromEntries(names.map((name) => [name, untilMinute(60, minute)]));
}

function fullOutage(minute: number): Series {
  const perService = serviceNames.flatMap((name): [string, Values][] => [
    [series.up(name), (minutes) => `1+0x${minute} 0+0x${minutes - minute}`],
    [series.ready(name), (minutes) => `1+0x${minute} stale _x${minutes - minute - 1}`],
    [series.degraded(name), (minutes) => `0+0x${minute} stale _x${minutes - minute - 1}`],
  ]);
  return {
    ...requestsUntil(minute),
    [series.streamEnds]: untilMinute(3, minute + 4),
    [series.probeRequests]: untilMinute(4, minute),
    ...Object.fromEntries(perService),
    [series.probe]: (minutes) => `1+0x${minute} 0+0x${minutes - minute}`,
  };
}

export const plantedFaults: readonly PlantedFault[] = [
  fault('ErrorBudgetBurnsFast', 30, { [series.failures]: everyMinute(5) }, [
    'ErrorBudgetBurnsSlowly',
  ]),
  fault('ErrorBudgetBurnsSlowly', 90, { [series.failures]: everyMinute(0.25) }),
  fault('PublicApiSlow', 30, histogram('http_server_request_duration', request, 20)),
  fault('AdmissionClosed', 10, { [series.closed('global_outstanding_closed')]: always(1) }),
  fault('AdmissionLeftClosed', 65, { [series.closed('operator_closed')]: always(1) }),
  fault('RefreshStuck', 10, { [series.stuck]: always(2) }),
  fault('RefreshesSetAside', 10, { [series.setAside]: always(1) }),
  fault('HoldsLost', 10, { [series.holdsLost]: suddenly(1, 5) }),
  fault('RefreshQueueOld', 20, { [series.queueAge]: ageing }),
  fault('RefreshesFailing', 20, { [series.ended('internal_failure')]: everyMinute(5) }),
  fault('RefreshesIncomplete', 30, { [series.ended('incomplete')]: everyMinute(30) }),
  fault('AssembliesWaiting', 20, { [series.assembling]: always(500) }),
  fault('HoldOld', 10, { [series.holdAge]: always(7_300) }),
  fault('LedgerVerifyFailed', 5, { [series.verifyProblems]: always(1) }),
  {
    ...fault('LedgerVerifyUnfinished', 15, { [series.verifyAge]: always(180_000) }),
    neverWorked: { afterMinutes: 1.3 * minutesOfDay, instead: {} },
  },
  fault('AccountQuarantined', 5, { [series.quarantined]: always(1) }),
  fault('LedgerClockSkewed', 5, { [series.clockOffset]: always(-60) }),
  fault('CommandConflict', 10, { [series.conflicts]: suddenly(1, 5) }),
  {
    ...fault('PagesReversed', 30, { [series.reversals]: everyMinute(50) }),
    neverWorked: {
      instead: { [series.charges]: everyMinute(500), [series.reversals]: everyMinute(500) },
    },
  },
  fault('PagesGivenAway', 30, { [series.givenAway]: everyMinute(2) }),
  fault('ConsumerStuck', 10, { [series.delay]: ageing }),
  fault('ConsumerLag', 20, { [series.lag]: everyMinute(1_000) }),
  fault('ConsumerStopped', 5, { [series.stopped]: always(1) }),
  fault('DeadLetters', 10, { [series.deadLetters]: suddenly(1, 5) }),
  fault('WorkOverdue', 10, { [series.workAge]: ageing }),
  fault('WorkFailing', 15, { [series.workFailures]: everyMinute(5) }),
  fault('ApplicationBreakerOpen', 20, { [series.breakers]: always(1) }),
  fault('IdentitiesSilent', 10, {
    [series.identities('free')]: always(1),
    [series.identities('silent')]: always(3),
    [series.identities('unreachable')]: always(3),
  }),
  fault('PlatformResponsesOdd', 30, { [series.responses('bad_request')]: everyMinute(200) }),
  fault('LivePagesFailing', 30, { [series.livePages('egress_busy')]: everyMinute(60) }),
  fault(
    'EventsAppendedLate',
    15,
    histogram('inventory_events_append_delay', 'type="inventory.refresh.completed"', 60),
  ),
  fault('StreamsLate', 15, histogram('inventory_stream_delivery_delay', '', 50)),
  {
    ...fault('WebhooksStopped', 15, {
      [series.webhooksAge]: ageing,
      [series.attempts('success')]: always(7),
      [series.attempts('timeout')]: always(0),
    }),
    neverWorked: { instead: { [series.webhooksAge]: ageing } },
  },
  fault('WebhooksLate', 25, { [series.webhooksAge]: ageing }),
  fault('WebhooksFailing', 30, { [series.attempts('connection')]: everyMinute(200) }),
  fault('ServiceDown', 5, { [series.up('revision-store')]: always(0) }),
  // As when its last target has left the discovery.
  fault('ServiceDown', 5, { [series.up('event-stream')]: absent }),
  fault('ServiceNotReady', 5, { [series.ready('billing-ledger')]: always(0) }),
  fault('ServiceDegraded', 5, { [series.degraded('refresh-collector')]: always(1) }),
  fault('PublicApiUnreachable', 5, probeFails),
  fault('PublicApiUnprobed', 25, { [series.probe]: absent }),
  // The probe is inside the cluster, and what was open before ends.
  {
    ...fault('TrafficStopped', 90, requestsUntil(75)),
    // What never was cannot stop.
    neverWorked: { fires: 'PublicApiUnreachable', instead: probeFails },
  },
  // Every process is gone, and with them every series of theirs.
  fault('ServiceNotReady', 87, fullOutage(75), [
    'ServiceDown',
    'TrafficStopped',
    'PublicApiUnreachable',
  ]),
  fault('ReplicaDown', 15, { 'up{service="gateway",instance="gateway-2"}': always(0) }),
  fault('DiskNearlyFull', 10, { [series.claim('available')]: always(80) }),
  fault('DiskNearlyFull', 10, { [series.disk('avail')]: always(80) }),
  fault('DiskFilling', 90, { [series.claim('available')]: falling(350, 0.1) }),
  fault('DiskFilling', 90, { [series.disk('avail')]: falling(350, 0.1) }),
  fault('LogLinesDropped', 10, { [series.logLinesDropped]: everyMinute(2) }),
  fault('JobFailing', 20, { [series.jobFailures]: everyMinute(2) }),
  fault('JobHanging', 10, { [series.runAge]: always(7_300) }),
  fault('EventLoopBlocked', 10, { [series.eventLoopDelay]: always(2) }),
  fault('EventLoopFull', 30, { [series.eventLoopUse]: always(0.98) }),
];

/** Each fault from the first minute on, where nothing has worked before it. */
export const plantedFromTheStart: readonly NeverWorked[] = plantedFaults.map(
  ({ fires: [fires = ''], afterMinutes, instead, neverWorked }) => ({
    fires,
    afterMinutes,
    instead,
    ...neverWorked,
  }),
);
