import type { WatchId } from '@inventory/contracts/ids';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { RefreshState } from '@inventory/contracts/vocabulary';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newProjectId } from '@inventory/testkit/builders';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { type Db, MongoClient } from 'mongodb';
import { collectorIndexes, openCollections } from '../src/collections.ts';
import { type Refresh, refreshPhases, shownState } from '../src/saga/refresh.domain.ts';
import { newDocument } from '../src/saga/refresh-document.ts';
import { createRefreshListStore, type RefreshListQuery } from '../src/saga/refresh-list-store.ts';
import { acceptedRefresh, requestedAtMs } from './refresh-builder.ts';

const times = {
  retention: { terminalMs: 86_400_000, refusedMs: 86_400_000 },
  resend: { firstMs: 1, maxMs: 1 },
} as const;
const projectId = newProjectId();
const inventory = { platform_id: '76561190000000000', app_id: 2, context_id: 2 };
const watchId: WatchId = `wat_${systemIdentifiers.uuidV7()}`;

let client: MongoClient;
let db: Db;
let stored: readonly Refresh[];
const finds: object[] = [];

beforeAll(async () => {
  const { mongodbUri, database } = await openNamespace({ topics: false });
  client = await MongoClient.connect(mongodbUri, { monitorCommands: true });
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName !== 'find') return;
    const { lsid, $db, $clusterTime, ...find } = command;
    finds.push(find);
  });
  db = client.db(database('refresh_lists'));
  await ensureIndexes(db, collectorIndexes);
  // Three quarters were refused, and five were requested at each moment.
  stored = Array.from({ length: 120 }, (_, at) =>
    acceptedRefresh({
      projectId: at % 20 === 19 ? newProjectId() : projectId,
      phase: (at % 4 > 0 ? undefined : refreshPhases[(at / 4) % refreshPhases.length]) ?? 'refused',
      requestedAtMs: requestedAtMs + Math.floor(at / 5),
      watchId: at % 3 > 0 ? null : watchId,
      scope: { ...inventory, app_id: 1 + (Math.floor(at / 4) % 3) },
      outcome: at % 5 > 2 ? 'private' : 'incomplete',
      billing: billed([null, 0, 2][Math.floor(at / 12) % 3] ?? null),
    }),
  );
  await openCollections(db).refreshes.insertMany(
    stored.map((refresh) => newDocument(refresh, null, Date.now(), times)),
  );
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

function billed(charged: number | null): Refresh['billing'] {
  return { ...acceptedRefresh().billing, charged };
}

/** Every page of a list, from one cursor to the next. */
async function listAll(
  states: readonly RefreshState[],
  refreshIds: readonly string[] = [],
  of: Partial<RefreshListQuery> = {},
) {
  const lists = createRefreshListStore(openCollections(db).refreshes, testLogger);
  const listed: string[] = [];
  let before: Parameters<typeof lists.listRefreshes>[0]['before'] = null;
  for (;;) {
    const page = await lists.listRefreshes({
      ...{ projectId, states, refreshIds, limit: 3, before },
      ...of,
    });
    listed.push(...page.items.map(({ refreshId: id }) => id));
    const last = page.items.at(-1);
    if (!page.hasMore || !last) return listed;
    before = { requestedAtMs: last.requestedAtMs, refreshId: last.refreshId };
  }
}

function expected(states: readonly RefreshState[], isWanted = (_: Refresh) => true): string[] {
  return stored
    .filter((refresh) => refresh.projectId === projectId && isWanted(refresh))
    .filter(({ phase }) => {
      const state = shownState(phase);
      return state !== null && (states.length === 0 || states.includes(state));
    })
    .sort((a, b) => b.requestedAtMs - a.requestedAtMs || (a.refreshId < b.refreshId ? 1 : -1))
    .map(({ refreshId: id }) => id);
}

const isEnded = ({ phase }: Refresh) => phase === 'completed';
const ofInventory = ({ scope }: Refresh) => scope.app_id === inventory.app_id;
const ofTime = ({ requestedAtMs: atMs }: Refresh) =>
  atMs >= requestedAtMs + 4 && atMs < requestedAtMs + 17;

describe('The list of a Project (Refresh: List) [list]', () => {
  it.each<[RefreshState[]]>([[[]], [['completed']], [['queued', 'settling']], [['accepted']]])(
    'of the states %j has each refresh once, newest first, and no refused attempt',
    async (states) => {
      expect(await listAll(states)).toEqual(expected(states));
    },
  );

  it('of given refreshes has those of them that are shown', async () => {
    const some = stored.filter((_, at) => at % 2 === 0).map(({ refreshId: id }) => id);

    expect(await listAll([], some)).toEqual(expected([], ({ refreshId: id }) => some.includes(id)));
  });

  it('of a watch has its runs, newest first, all or those that cost something or nothing; an open one is of neither (Watches: runs) [watches]', async () => {
    const isRun = (one: Refresh) => one.watchId === watchId;
    const runs = expected([], isRun);
    const chargedMore = expected([], (one) => isRun(one) && (one.billing.charged ?? 0) > 0);
    const chargedNothing = expected([], (one) => isRun(one) && one.billing.charged === 0);

    expect(Math.min(chargedMore.length, chargedNothing.length)).toBeGreaterThan(1);
    expect(runs.length).toBeGreaterThan(chargedMore.length + chargedNothing.length);
    expect(await listAll([], [], { watchId })).toEqual(runs);
    expect(await listAll([], [], { watchId, isCharged: true })).toEqual(chargedMore);
    expect(await listAll([], [], { watchId, isCharged: false })).toEqual(chargedNothing);
  });

  it.each<[string, Partial<RefreshListQuery>, (one: Refresh) => boolean]>([
    ['an inventory', { inventory: inventoryKeyText(inventory) }, ofInventory],
    ['one outcome', { outcomes: ['private'] }, (one) => isEnded(one) && one.outcome === 'private'],
    ['outcomes', { outcomes: ['private', 'incomplete'] }, isEnded],
    ['a time', { from: requestedAtMs + 4, to: requestedAtMs + 17 }, ofTime],
    [
      'all of these',
      { inventory: inventoryKeyText(inventory), outcomes: ['incomplete'], from: requestedAtMs + 4 },
      (one) =>
        ofInventory(one) &&
        isEnded(one) &&
        one.outcome === 'incomplete' &&
        one.requestedAtMs >= requestedAtMs + 4,
    ],
  ])(
    'of %s has each refresh once, newest first, page by page; one whose outcome is not final is of none (Free looks and findable lists) [list]',
    async (_of, query, isWanted) => {
      const wanted = expected([], isWanted);

      expect(wanted.length).toBeGreaterThan(0);
      expect(await listAll([], [], query)).toEqual(wanted);
    },
  );

  it('of an outcome and no state that has one is empty', async () => {
    expect(await listAll(['queued'], [], { outcomes: ['private'] })).toEqual([]);
  });

  it('costs a change of the phase no index but those by phase; a completed refresh enters that of outcomes once', () => {
    const { indexes = [] } =
      collectorIndexes.find(({ collection }) => collection === 'refreshes') ?? {};
    const changed = indexes.filter(
      ({ keys, options }) =>
        'phase' in Object(keys) || 'phase' in (options?.partialFilterExpression ?? {}),
    );

    expect(changed.map(({ name, options }) => [name, options?.partialFilterExpression])).toEqual([
      ['project_phase_newest', undefined],
      ['project_outcome_newest', { phase: 'completed' }],
      ['phase_oldest', undefined],
    ]);
  });

  it('reads no refused attempt, however many there are: its phases are ranges of an index', async () => {
    finds.length = 0;
    await listAll([]);
    await listAll(['completed']);

    expect(finds.length).toBeGreaterThan(2);
    for (const find of finds) {
      const plan = await db.command({ explain: find, verbosity: 'queryPlanner' });
      const { winningPlan } = plan['queryPlanner'];
      expect(JSON.stringify(winningPlan)).toContain('"indexName":"project_phase_newest"');
      expect(JSON.stringify(filtersOf(winningPlan))).not.toContain('phase');
    }
  });
});

/** What a query plan reads in documents, after it read them. */
function filtersOf(stage: unknown): unknown[] {
  if (typeof stage !== 'object' || stage === null) return [];
  return Object.entries(stage).flatMap(([name, inner]) =>
    name === 'filter' ? [inner] : filtersOf(inner),
  );
}
