import { pageCapacities } from '@inventory/refresh-collector/planning/page-capacity.domain';
import { planScans } from '@inventory/refresh-collector/planning/scan-plan.domain';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { leftPending, type Outage } from './returns.ts';
import { type PlayRules, realRules } from './simulate.ts';

const rules: PlayRules = { ...realRules, planEveryMs: 5_000 };

/** Identities, minutes away, pages of a refresh. */
const sizes = [
  ...[5, 10, 15].flatMap((minutes) => [20, 40].map((pages) => ({ identities: 1, minutes, pages }))),
  ...[15, 30].flatMap((minutes) => [20, 40].map((pages) => ({ identities: 2, minutes, pages }))),
  ...[20, 60].flatMap((minutes) => [3, 10, 40].map((pages) => ({ identities: 4, minutes, pages }))),
];
const load = 0.3;

const allLost: Outage[] = (['unreachable', 'throttled'] as const).flatMap((kind) =>
  [0, 0.02].flatMap((liveShare) =>
    [false, true].flatMap((isHalfUnknown) =>
      sizes.map((size) => ({
        ...{ ...size, lost: size.identities, kind, liveShare, isHalfUnknown, load },
        flaps: false,
      })),
    ),
  ),
);

const usual = { identities: 4, isHalfUnknown: false, liveShare: 0.02 };
/** Idle, loaded, and with large scans under way. */
const works = [
  { pages: 3, load: 0.05 },
  { pages: 10, load: 0.3 },
  { pages: 100, load: 0.3 },
];
/** One, half and all of the identities, shorter than any pause and longer than all of them. */
const matrix: Outage[] = works.flatMap((work) =>
  [1, 70].flatMap((minutes) => [
    ...(['unreachable', 'throttled'] as const).flatMap((kind) => [
      ...[1, 2, 4].map((lost) => ({ ...usual, ...work, minutes, kind, lost, flaps: false })),
      { ...usual, ...work, minutes, kind, lost: 4, flaps: true },
    ]),
    { ...usual, ...work, minutes, kind: 'application_down' as const, lost: 0, flaps: false },
  ]),
);

const outages = [...matrix, ...allLost];
/** Every twelfth in the suite, each in the long run. */
const played = outages.filter((_, index) => index % 12 === 0 || propertyRuns(1) > 1);

/** Nothing but a served page makes up for a failure, and no page is read before. */
const untilServed: PlayRules = {
  ...rules,
  pageCapacities: (identities, limits, nowMs) =>
    pageCapacities(
      identities.map((one) => ({ ...one, arrivalMs: Math.max(one.arrivalMs, nowMs) })),
      limits,
      nowMs,
    ),
  planScans(snapshot, planRules) {
    const { expected } = snapshot.capacity;
    return planScans(
      { ...snapshot, capacity: { ...snapshot.capacity, hoped: expected } },
      planRules,
    );
  },
};

describe('after identities were lost, or the servers of an application', () => {
  it('everything ends, and what arrives completes as if nothing had been (Refresh: Deadlines)', () => {
    const left = played.flatMap((outage) =>
      leftPending(outage, rules).map((what) => `${JSON.stringify(outage)}: ${what}`),
    );

    expect(left).toEqual([]);
  });

  it('is seen to leave unfinished work when an identity is doubted until it serves', () => {
    const outage = allLost.find(({ minutes }) => minutes === 10);

    expect(outage && leftPending(outage, untilServed)).not.toEqual([]);
  });
});
