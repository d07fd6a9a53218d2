import { serviceNames } from '@inventory/contracts/topics';
import {
  always,
  byMinute,
  counted,
  healthy,
  histogram,
  request,
  type Series,
  series,
  type Values,
} from './planted-series.ts';

export const minutesOfDay = 24 * 60;

/** Minutes of the day. */
const night = { from: 0, to: 6 * 60 };
const rush = { from: 12 * 60, to: 13 * 60 };
const rollout = { from: 15 * 60, to: 15 * 60 + 30 };
const election = { from: 18 * 60, to: 18 * 60 + 2 };
const dullHour = { from: 20 * 60, to: 21 * 60 };
const verifiedAt = 3 * 60 + 20;

type Period = Readonly<{ from: number; to: number }>;

const isIn = ({ from, to }: Period, minute: number) => minute >= from && minute < to;
/** One value in a period, another one otherwise. */
const during = (period: Period, value: number, otherwise: number): Values =>
  byMinute((minute) => (isIn(period, minute) ? value : otherwise));
/** So many a minute in a period, another number otherwise. */
const countedDuring = (period: Period, growth: number, otherwise: number): Values =>
  counted((minute) => (isIn(period, minute) ? growth : otherwise));
const first = ({ from }: Period, minutes: number): Period => ({ from, to: from + minutes });

/** Replicas are replaced in sequence: each is down for two minutes. */
function rolledOut(): Series {
  const ofService = (service: string, at: number): [string, Values][] => {
    const replica = `service="${service}",instance="${service}-2"`;
    const away = { from: rollout.from + 5 * at, to: rollout.from + 5 * at + 2 };
    return [
      [`up{${replica}}`, during(away, 0, 1)],
      [`inventory_ready{${replica}}`, during(away, 0, 1)],
      [`inventory_degraded{${replica}}`, during(first(election, 4), 1, 0)],
    ];
  };
  return Object.fromEntries(serviceNames.flatMap(ofService));
}

/** Downloads take as long as their clients want. */
const downloads = histogram(
  'http_server_request_duration',
  `${request.replace(/http_route="[^"]*"/, 'http_route="/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/current/export"')}`,
  60,
);

/**
 * What happens on any day without harm: a quiet night, a rush, a rollout, an election, an hour in which the
 * platform is throttled, long refreshes, slow downloads, a customer's dead endpoint and a long redelivery.
 */
export const ordinaryDay: Series = {
  ...healthy,
  ...downloads,
  ...rolledOut(),
  [`http_server_request_duration_count{${request}}`]: countedDuring(night, 11, 60),
  [series.failures]: countedDuring(first(election, 2), 4, 0),
  [series.ended('complete_changed')]: countedDuring(night, 1, 30),
  [series.ended('upstream_unavailable')]: countedDuring(dullHour, 8, 1),
  [series.stuck]: during(first(election, 3), 2, 0),
  [series.queueAge]: during(rush, 550, 20),
  [series.assembling]: during(rush, 150, 3),
  [series.closed('operator_closed')]: during({ from: 540, to: 580 }, 1, 0),
  [series.closed('global_outstanding_closed')]: during(first(rush, 3), 1, 0),
  // A refresh that used all of its time.
  [series.holdAge]: during({ from: 840, to: 900 }, 6_000, 240),
  [series.clockOffset]: during(election, 2, 0.01),
  [series.verifyAge]: byMinute(
    (minute) => 60 * ((minute - verifiedAt + minutesOfDay) % minutesOfDay),
  ),
  [series.reversals]: countedDuring(rollout, 8, 1),
  [series.delay]: during(election, 50, 0.2),
  [series.lag]: during(rush, 4_500, 40),
  [series.workAge]: during(election, 100, 0),
  [series.workFailures]: countedDuring(election, 5, 0),
  [series.jobFailures]: countedDuring(election, 2, 0),
  [series.breakers]: during(first(dullHour, 8), 1, 0),
  [series.identities('free')]: during(first(dullHour, 4), 0, 4),
  [series.identities('silent')]: during(first(dullHour, 4), 7, 3),
  [series.responses('fault')]: countedDuring(dullHour, 30, 2),
  [series.livePages('egress_busy')]: countedDuring(dullHour, 12, 1),
  [series.webhooksAge]: byMinute((minute) =>
    isIn({ from: 600, to: 610 }, minute) ? 900 : isIn(rush, minute) ? 280 : 1,
  ),
  [series.attempts('timeout')]: always(0),
  [series.attempts('status')]: countedDuring({ from: 480, to: minutesOfDay }, 80, 0),
  [series.runAge]: during({ from: 190, to: 300 }, 6_600, 30),
  [series.eventLoopDelay]: during(rush, 0.3, 0.02),
  [series.eventLoopUse]: during(rush, 0.8, 0.4),
  // Records expire at night.
  [series.claim('available')]: byMinute((minute) => (minute < 180 ? 480 : 600) - minute / 15),
};
