/** The servers that can stand in for MongoDB, by how they come onto the machine. */
export const mongodbBuilds = ['mongod', 'cargo', 'wheel', 'python'] as const;
export type MongodbBuild = (typeof mongodbBuilds)[number];

export interface BuildFacts {
  /** Chosen explicitly; null: ours to choose. */
  readonly asked: MongodbBuild | null;
  /** Who wrote the data that are to be opened; null for empty data. */
  readonly madeBy: MongodbBuild | null;
  readonly mongodInstalled: boolean;
  readonly cargoBuildCached: boolean;
}

/**
 * Which builds to try, best first. Data are opened only by the build that wrote them. Otherwise a
 * real mongod comes first; a cargo build that is there already comes before the wheel, because it
 * is much faster, but building one (minutes) only after it.
 */
export function buildOrder(facts: BuildFacts): readonly MongodbBuild[] {
  const only = facts.madeBy ?? facts.asked;
  if (only !== null) return [only];
  return [
    ...(facts.mongodInstalled ? (['mongod'] as const) : []),
    ...(facts.cargoBuildCached ? (['cargo', 'wheel'] as const) : (['wheel', 'cargo'] as const)),
    'python',
  ];
}

export function isMongodbBuild(text: string): text is MongodbBuild {
  return mongodbBuilds.some((build) => build === text);
}
