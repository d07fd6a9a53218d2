import type { RequestIssue } from '@inventory/contracts/http/meta';
import { type FieldsSchema, sentFields } from '@inventory/contracts/wire';
import { z } from 'zod';
import { issueText } from './issue-text.ts';
import { Refused } from './refused.ts';
import type { Input, InputSchemas, RawInput } from './route.ts';

const issuesMax = 100;
const fieldCharactersMax = 100;
/** Of a misspelt name. */
const differencesMax = 2;

/**
 * Validates path, query, headers and body. A known parameter given twice is invalid unless its
 * schema is an array; an unknown one is refused or ignored. Throws `invalid_request` with all issues
 * of all parts, at most 100.
 */
export function validateInput<Schemas extends InputSchemas>(
  schemas: Schemas,
  raw: RawInput,
  unknownQuery: 'refuse' | 'ignore' = 'ignore',
): Input<Schemas> {
  const issues: RequestIssue[] = [];
  const parsed: Record<string, unknown> = {};

  function check(part: RequestIssue['in'], schema: z.ZodType, value: unknown): void {
    const result = schema.safeParse(value, { error: issueText });
    if (result.success) parsed[part] = result.data;
    else issues.push(...requestIssues(part, result.error, value, schema));
  }

  if (schemas.path) check('path', schemas.path, raw.path);
  if (schemas.query) {
    const values = collect(schemas.query, (name) => raw.query.getAll(name));
    issues.push(...values.repeated.map((field) => repeated('query', field)));
    check('query', schemas.query, values.single);
  }
  if (unknownQuery === 'refuse') issues.push(...unknownParameters(schemas.query, raw.query));
  if (schemas.header) {
    const values = collect(schemas.header, (name) => raw.headers[name.toLowerCase()] ?? []);
    issues.push(...values.repeated.map((field) => repeated('header', field)));
    check('header', schemas.header, values.single);
  }
  if (schemas.body) check('body', schemas.body, raw.body);
  if (issues.length > 0) {
    throw new Refused({ code: 'invalid_request', detail: { issues: issues.slice(0, issuesMax) } });
  }
  // Each part is what its own schema returned.
  return parsed as Input<Schemas>;
}

/** The problems of a part, as in `error.detail.issues`. */
export function requestIssues(
  part: RequestIssue['in'],
  error: z.ZodError,
  value: unknown,
  schema: z.ZodType,
): RequestIssue[] {
  return error.issues.flatMap((issue) => issuesOf(part, issue, value, schema));
}

/** Arrays keep every value; of any other field the first value is taken, a second one is an issue. */
function collect(schema: FieldsSchema, valuesOf: (name: string) => readonly string[]) {
  const single: Record<string, unknown> = {};
  const repeated: string[] = [];
  for (const [name, field] of Object.entries(sentFields(schema))) {
    const values = valuesOf(name);
    if (field instanceof z.ZodArray) single[name] = values;
    else if (values.length > 0) single[name] = values[0];
    if (!(field instanceof z.ZodArray) && values.length > 1) repeated.push(name);
  }
  return { single, repeated };
}

function unknownParameters(schema: FieldsSchema | undefined, query: URLSearchParams) {
  const known = Object.keys(sentFields(schema));
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name));
  return unknown.slice(0, issuesMax).map((name): RequestIssue => {
    const field = name.slice(0, fieldCharactersMax);
    return { in: 'query', field, reason: `is not a known parameter${nearestOf(field, known)}` };
  });
}

function nearestOf(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; ${nearest} is`;
}

/**
 * The name that another one most likely means: one that differs in a few letters, else one that it
 * shortens or extends, or has a word of; undefined where none is near.
 */
function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, distance: distanceOf(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance < given.length);
  return near.sort((a, b) => a.distance - b.distance)[0]?.name;
}

function distanceOf(given: string, name: string): number {
  const differences = differencesOf(given, name);
  if (differences <= differencesMax) return differences;
  const isPart = name.startsWith(given) || name.split('_').includes(given);
  const isWhole = given.startsWith(name) || given.split('_').includes(name);
  return isPart || isWhole ? differencesMax + 1 : Number.POSITIVE_INFINITY;
}

/** Levenshtein distance; more than it can matter for texts of very different length. */
function differencesOf(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > differencesMax) return differencesMax + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    let diagonal = row[0] ?? 0;
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = letter === other[column - 1];
      const above = row[column] ?? 0;
      next.push(Math.min(above + 1, (next[column - 1] ?? 0) + 1, diagonal + (isSame ? 0 : 1)));
      diagonal = above;
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function repeated(part: RequestIssue['in'], field: string): RequestIssue {
  return { in: part, field, reason: 'may be given only once' };
}

function issuesOf(
  part: RequestIssue['in'],
  issue: z.core.$ZodIssue,
  value: unknown,
  schema: z.ZodType,
): RequestIssue[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, path);
    return issue.keys.slice(0, issuesMax).map((key) => {
      const field = [...path, key].join('.').slice(0, fieldCharactersMax);
      const nearest = nearestOf(key.slice(0, fieldCharactersMax), known);
      return { in: part, field, reason: `is not a known field${nearest}` };
    });
  }
  const missing = valueAt(value, issue.path) === undefined;
  const reason = missing ? 'is required' : issue.message;
  return [{ in: part, field: path.join('.').slice(0, fieldCharactersMax), reason }];
}

/** The fields of the object at this path of a schema; none where the value decides on its schema. */
function fieldsAt(schema: unknown, [key, ...rest]: readonly string[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return fieldsAt(schema.unwrap(), key === undefined ? [] : [key, ...rest]);
  }
  // Any other schema has no fields.
  const fields = sentFields(schema as FieldsSchema);
  if (key === undefined) return Object.keys(fields);
  return fieldsAt(schema instanceof z.ZodArray ? schema.element : fields[key], rest);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[key];
  }
  return found;
}
