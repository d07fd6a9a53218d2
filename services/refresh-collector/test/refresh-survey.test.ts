import type { MongoConnection } from '@inventory/mongo/connect';
import { newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import { collectorIndexes, openCollections } from '../src/collections.ts';
import { freshIdentity } from '../src/egress/egress-identity.domain.ts';
import { createIdentityStore } from '../src/egress/identity-store.ts';
import {
  createRefreshSurveyStore,
  type RefreshSurvey,
} from '../src/survey/refresh-survey-store.ts';
import { surveyRefreshes } from '../src/survey/survey-refreshes.ts';

const clock = createTestClock();
const minuteMs = 60_000;
let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('survey', collectorIndexes);
});
afterAll(() => mongo.close());

/** What the survey reads; ages in minutes. */
async function stored(...refreshes: (readonly [phase: string, ageMin: number, tries?: number])[]) {
  const collection = mongo.db.collection('refreshes');
  await collection.deleteMany({});
  const ago = (min: number) => clock.now() - min * minuteMs;
  await collection.insertMany(
    refreshes.map(([phase, ageMin, tries]) => ({
      _id: newRefreshId() as never,
      phase,
      terminal: phase === 'completed',
      requestedAtMs: ago(ageMin),
      queueDeadlineMs: ago(ageMin - 30),
      collectDeadlineMs: phase === 'collecting' ? ago(ageMin - 90) : null,
      ...(tries === undefined ? {} : { work: { dueAtMs: ago(0), tries, queue: 'commands' } }),
    })),
  );
}

/** The survey of one replica, which plans unless stated otherwise. */
function surveyOf(identityIds: readonly string[] = [], isHeld = true) {
  const { refreshes, identities } = openCollections(mongo.db);
  const store = createIdentityStore(identities, testLogger);
  const counts = createRefreshSurveyStore(refreshes, clock, testLogger);
  const countOpen = jest.fn(() => counts.countOpen());
  const planner: { isHeld: boolean; survey: RefreshSurvey | null } = { isHeld, survey: null };
  const limits = {
    requestsPerMinute: 60,
    burst: 1,
    cooldownFirstMs: 1,
    cooldownMaxMs: 1,
    unreachableFirstMs: 1,
    unreachableMaxMs: 1,
  };
  const survey = surveyRefreshes(
    { ...counts, countOpen },
    () => store.loadIdentities(identityIds),
    limits,
    planner,
    clock,
  );
  return { survey, planner, store, countOpen };
}

test('every phase is reported with its count and the age of the oldest (queue age)', async () => {
  await stored(['queued', 3], ['queued', 7], ['accepted', 0], ['completed', 50], ['refused', 50]);
  const { survey, planner } = surveyOf();

  await survey();

  expect(planner.survey?.open).toEqual([
    { phase: 'accepted', count: 1, oldestAtMs: clock.now() },
    { phase: 'queued', count: 2, oldestAtMs: clock.now() - 7 * minuteMs },
    { phase: 'collecting', count: 0, oldestAtMs: null },
    { phase: 'assembling', count: 0, oldestAtMs: null },
    { phase: 'settling', count: 0, oldestAtMs: null },
  ]);
});

test('a refresh is stuck when its command was resent four times or it is a minute past its deadline', async () => {
  await stored(
    ...([
      ['settling', 4, 4],
      ['settling', 9, 6],
      ['settling', 99, 3],
    ] as const),
    ...([
      ['completed', 12, 5],
      ['completed', 99],
    ] as const),
    ...([
      ['queued', 30],
      ['queued', 32],
    ] as const),
    ...([
      ['collecting', 90],
      ['collecting', 92],
    ] as const),
  );
  const { survey, planner } = surveyOf();

  await survey();

  const stuck = planner.survey?.stuck.filter(({ count }) => count > 0);
  expect(stuck).toEqual([
    { phase: 'queued', count: 1, oldestAtMs: clock.now() - 32 * minuteMs },
    { phase: 'collecting', count: 1, oldestAtMs: clock.now() - 92 * minuteMs },
    { phase: 'settling', count: 2, oldestAtMs: clock.now() - 9 * minuteMs },
    { phase: 'completed', count: 1, oldestAtMs: clock.now() - 12 * minuteMs },
  ]);
});

test('identities are counted by what they do now, silent ones before all else', async () => {
  await stored(['queued', 1]);
  const { survey, planner, store } = surveyOf(['a', 'b', 'c', 'd', 'e']);
  await store.loadIdentities(['a', 'b', 'c', 'd', 'e']);
  const later = clock.now() + minuteMs;
  const inFlight = { token: 't', untilMs: later };
  const save = (id: string, change: object) =>
    store.saveIdentity(freshIdentity(id), { ...freshIdentity(id), version: 1, ...change });
  await save('a', { cooldownUntilMs: later, inFlight });
  await save('b', { inFlight });
  await save('c', { arrivalMs: later });
  await save('e', { arrivalMs: later, unreachableUntilMs: later });

  await survey();

  expect(planner.survey?.identities).toEqual([
    { state: 'free', count: 1 },
    { state: 'in_use', count: 1 },
    { state: 'resting', count: 1 },
    { state: 'silent', count: 1 },
    { state: 'unreachable', count: 1 },
  ]);
});

test('one replica counts for all, the one that plans, and every ten seconds', async () => {
  await stored(['queued', 1]);
  const { survey, planner, countOpen } = surveyOf([], false);

  for (let second = 0; second < 30; second += 1, clock.advance(1_000)) await survey();
  expect(countOpen).not.toHaveBeenCalled();
  expect(planner.survey).toBeNull();

  planner.isHeld = true;
  await survey();
  expect(planner.survey).not.toBeNull();
  for (let second = 0; second < 29; second += 1, clock.advance(1_000)) await survey();
  expect(countOpen).toHaveBeenCalledTimes(3);
});
