/** Kinds of values, as `test/support/record-queries.cjs` writes them. */
type Condition = string | { readonly [operator: string]: string | number | boolean };
export interface FilterKinds {
  readonly [field: string]: Condition | readonly FilterKinds[];
}

export interface RecordedQuery {
  readonly collection: string;
  readonly operation: string;
  readonly filter: FilterKinds;
  readonly sort?: { readonly [field: string]: number };
  /** Name of an index, or its keys. */
  readonly hint?: string | { readonly [field: string]: number };
  /** It has a limit; a delete, of one document. */
  readonly isLimited?: boolean;
  /** Of an update: of every document that matches. */
  readonly isMulti?: boolean;
  readonly isUpsert?: boolean;
}

export interface DeclaredIndex {
  readonly name: string;
  readonly keys: { readonly [field: string]: number };
  readonly unique: boolean;
  /** The fields that a partial index requires, null where it has every document. */
  readonly partial: { readonly [field: string]: unknown } | null;
}

const idIndex: DeclaredIndex = { name: '_id_', keys: { _id: 1 }, unique: true, partial: null };

/** The server merges so many sorted ranges of an index; above it, it sorts in memory. */
const mergedRangesMax = 200;

/** How the values of one field are restricted; `points` is the number of values. */
type Bound = { readonly points: number } | 'range' | 'none';
/** Every condition of one way to satisfy a filter: field and condition. */
type Branch = readonly (readonly [field: string, condition: Condition])[];

/**
 * Whether the indexes serve a query by the rules of MongoDB's manual: in every branch of an `$or` one
 * index whose first field is restricted, that has every matching document (a partial filter is
 * implied), and from which the documents come in the order of the sort: after fields with single values,
 * before any range. A sort of at most 200 documents, found by a unique index, may be in memory.
 *
 * @returns null when they do, else why not
 */
export function judgeQuery(
  query: RecordedQuery,
  declared: readonly DeclaredIndex[],
): string | null {
  const indexes = [idIndex, ...declared].filter(({ name, keys }) => {
    if (query.hint === undefined) return true;
    return query.hint === name || JSON.stringify(query.hint) === JSON.stringify(keys);
  });
  if (indexes.length === 0) return `no index ${JSON.stringify(query.hint)}`;
  const sort = Object.entries(query.sort ?? {});
  const isPage = query.isLimited === true && Object.keys(query.filter).length === 0;
  if (isPage && indexes.some((index) => index.partial === null && isSorted(index, [], sort))) {
    return null;
  }
  for (const branch of branchesOf(query.filter)) {
    const usable = indexes.filter((index) => isUsable(index, branch));
    if (usable.length === 0) return 'no index begins with a restricted field';
    if (!usable.some((index) => isSorted(index, branch, sort))) return 'sorts in memory';
  }
  return null;
}

/** A filter as alternatives of conditions that all hold. */
function branchesOf(filter: FilterKinds): Branch[] {
  let branches: Branch[] = [[]];
  for (const [name, condition] of Object.entries(filter)) {
    const alternatives = alternativesOf(name, condition);
    branches = branches.flatMap((branch) => alternatives.map((other) => [...branch, ...other]));
  }
  return branches;
}

function alternativesOf(name: string, condition: FilterKinds[string]): Branch[] {
  if (!Array.isArray(condition)) return [[[name, condition as Condition]]];
  const filters = condition as readonly FilterKinds[];
  if (name === '$or') return filters.flatMap(branchesOf);
  if (name === '$nor') return [[]];
  return filters
    .map(branchesOf)
    .reduce<Branch[]>(
      (all, branches) => all.flatMap((branch) => branches.map((other) => [...branch, ...other])),
      [[]],
    );
}

function isUsable({ keys, partial }: DeclaredIndex, branch: Branch): boolean {
  const [first = ''] = Object.keys(keys);
  const isOfExisting = partial !== null && first in partial && isExistence(partial[first]);
  const restricted = boundOf(branch, first) !== 'none' || (isOfExisting && implies(branch, first));
  return (
    restricted && Object.entries(partial ?? {}).every((required) => isImplied(required, branch))
  );
}

function isExistence(required: unknown): boolean {
  return JSON.stringify(required) === '{"$exists":true}';
}

/** Equality with a required value is recorded as any value: the query that needs it has it. */
function isImplied([field, required]: readonly [string, unknown], branch: Branch): boolean {
  if (isExistence(required)) return implies(branch, field);
  const bound = boundOf(branch, field);
  return typeof bound === 'object' && bound.points === 1;
}

/** Whether a branch matches only documents that have the field. */
function implies(branch: Branch, field: string): boolean {
  return branch.some(([name, condition]) => {
    if (name !== field) return false;
    if (typeof condition === 'string') return condition === 'value' || condition === 'regex';
    return Object.entries(condition).some(([operator, operand]) => {
      if (operator === '$exists') return operand === true;
      const isRestriction = ['$eq', '$in', '$gt', '$gte', '$lt', '$lte'].includes(operator);
      return isRestriction && operand !== 'null' && operand !== 'list with null';
    });
  });
}

function boundOf(branch: Branch, field: string): Bound {
  const bounds = branch.flatMap(([name, condition]) =>
    name === field ? [boundOfCondition(condition)] : [],
  );
  const points = bounds.flatMap((bound) => (typeof bound === 'object' ? [bound.points] : []));
  if (points.length > 0) return { points: Math.min(...points) };
  return bounds.includes('range') ? 'range' : 'none';
}

function boundOfCondition(condition: Condition): Bound {
  if (condition === 'value' || condition === 'null') return { points: 1 };
  if (typeof condition === 'string') return 'none';
  for (const [operator, operand] of Object.entries(condition)) {
    if (operator === '$eq') return { points: 1 };
    if (operator === '$in') return { points: typeof operand === 'number' ? operand : 2 };
    if (['$gt', '$gte', '$lt', '$lte'].includes(operator)) return 'range';
  }
  return 'none';
}

type Sort = readonly (readonly [field: string, direction: number])[];

function isSorted({ keys, unique }: DeclaredIndex, branch: Branch, sort: Sort): boolean {
  const wanted = sort.filter(([field]) => !isOneValue(boundOf(branch, field)));
  if (wanted.length === 0) return true;
  const bounds = Object.keys(keys).map((field) => boundOf(branch, field));
  const found = bounds.reduce(
    (sum, bound) => sum * (typeof bound === 'object' ? bound.points : Infinity),
    1,
  );
  if (unique && found <= mergedRangesMax) return true;
  let ranges = 1;
  let sorted = 0;
  let sign = 0;
  for (const [field, direction] of Object.entries(keys)) {
    const next = wanted[sorted];
    if (next !== undefined && field === next[0]) {
      if (sign !== 0 && Math.sign(direction * next[1]) !== sign) return false;
      sign = Math.sign(direction * next[1]);
      sorted += 1;
    } else {
      const bound = boundOf(branch, field);
      if (typeof bound !== 'object') return false;
      ranges *= bound.points;
    }
    if (sorted === wanted.length) return ranges <= mergedRangesMax;
  }
  return false;
}

function isOneValue(bound: Bound): boolean {
  return typeof bound === 'object' && bound.points === 1;
}
