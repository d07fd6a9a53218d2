import type { RequestIssue } from '@inventory/contracts/http/meta';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';

/** The schemas of a route's parts; a part that is left out is not looked at. */
export interface InputSchemas {
  readonly path: z.ZodObject;
  readonly query?: z.ZodObject;
  /** By header name, as documented. */
  readonly header?: z.ZodObject;
  readonly body?: z.ZodType;
}

export interface RawInput {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Every value of every header, by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: unknown;
}

const issuesMax = 100;
const fieldCharactersMax = 100;

/**
 * Checks path, query, headers and body and names all problems of all of them at once. A known
 * parameter that is given twice is a problem unless it is a list; an unknown one is ignored.
 */
export function validateInput(schemas: InputSchemas, raw: RawInput): Record<string, unknown> {
  const issues: RequestIssue[] = [];
  const parsed: Record<string, unknown> = {};

  function check(part: RequestIssue['in'], schema: z.ZodType, value: unknown): void {
    const result = schema.safeParse(value);
    if (result.success) parsed[part] = result.data;
    else issues.push(...result.error.issues.flatMap((issue) => issuesOf(part, issue, value)));
  }

  check('path', schemas.path, raw.path);
  if (schemas.query) {
    const values = collect(schemas.query, (name) => raw.query.getAll(name));
    issues.push(...values.repeated.map((field) => repeated('query', field)));
    check('query', schemas.query, values.single);
  }
  if (schemas.header) {
    const values = collect(schemas.header, (name) => raw.headers[name.toLowerCase()] ?? []);
    issues.push(...values.repeated.map((field) => repeated('header', field)));
    check('header', schemas.header, values.single);
  }
  if (schemas.body) check('body', schemas.body, raw.body);
  if (issues.length > 0) {
    throw new Refused({ code: 'invalid_request', detail: { issues: issues.slice(0, issuesMax) } });
  }
  return parsed;
}

/** Lists keep every value; of anything else the first value is taken and a second one told. */
function collect(schema: z.ZodObject, valuesOf: (name: string) => readonly string[]) {
  const single: Record<string, unknown> = {};
  const repeated: string[] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const values = valuesOf(name);
    if (field instanceof z.ZodArray) single[name] = values;
    else if (values.length > 0) single[name] = values[0];
    if (!(field instanceof z.ZodArray) && values.length > 1) repeated.push(name);
  }
  return { single, repeated };
}

function repeated(part: RequestIssue['in'], field: string): RequestIssue {
  return { in: part, field, reason: 'may be given only once' };
}

function issuesOf(part: RequestIssue['in'], issue: z.core.$ZodIssue, value: unknown) {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key): RequestIssue => {
      const field = [...path, key].join('.').slice(0, fieldCharactersMax);
      return { in: part, field, reason: 'is not a known field' };
    });
  }
  const missing = issue.path.length > 0 && valueAt(value, issue.path) === undefined;
  const reason = missing ? 'is required' : issue.message;
  return [{ in: part, field: path.join('.').slice(0, fieldCharactersMax), reason }];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<PropertyKey, unknown>)[key];
  }
  return found;
}
