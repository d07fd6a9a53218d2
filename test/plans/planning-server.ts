import { type CollectionIndexes, ensureIndexes } from '@inventory/mongo/indexes';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { BSON, type Document, MongoClient } from 'mongodb';

export interface PlanningServer {
  /** The stages of the plan that the server chooses for a query, as EJSON. */
  stagesOf(example: string): Promise<string[]>;
  close(): Promise<void>;
}

/** The stand-in explains with a planner of its own. */
const standIn = 'secantus';

/**
 * A server that explains, with the declared indexes on empty collections.
 *
 * @param uri of a server that was given for the tests
 * @returns null where that is the stand-in
 */
export async function openPlanningServer(
  uri: string,
  declared: readonly CollectionIndexes[],
): Promise<PlanningServer | null> {
  const client = await new MongoClient(uri).connect();
  const db = client.db(`plans_${systemIdentifiers.uuidV7().replaceAll('-', '')}`);
  const { setName } = await db.command({ hello: 1 });
  if (setName === standIn) {
    await client.close();
    return null;
  }
  await ensureIndexes(db, declared);
  return {
    async stagesOf(example) {
      const { collection, filter, sort, hint, projection } = BSON.EJSON.parse(example);
      const wanted = Object.entries({ sort, hint, projection });
      const given = Object.fromEntries(wanted.filter(([, value]) => value !== undefined));
      const explain = { find: collection, filter, ...given };
      const { queryPlanner } = await db.command({ explain, verbosity: 'queryPlanner' });
      return stages(queryPlanner.winningPlan);
    },
    async close() {
      await db.dropDatabase();
      await client.close();
    },
  };
}

/** Of a plan, of those below it, and of the shards. */
function stages({
  stage,
  queryPlan,
  inputStage,
  inputStages = [],
  shards = [],
}: Document): string[] {
  const below = [queryPlan, inputStage, ...inputStages, ...shards.map(planOfShard)];
  const own = stage === undefined ? [] : [stage];
  return [...own, ...below.filter((plan) => plan !== undefined).flatMap(stages)];
}

function planOfShard({ winningPlan }: Document): Document {
  return winningPlan;
}
