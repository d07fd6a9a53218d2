import { z } from 'zod';

/** Names of the settings that a value requires; a flag among them must be true. */
export type Needs = (value: string) => readonly string[];

const needsOf = z.registry<{ readonly needs: Needs }>();

/** A setting that has no meaning, or is unsafe, without others. */
export function needing<Schema extends z.ZodType>(
  schema: Schema,
  needs: readonly string[] | Needs,
): Schema {
  needsOf.add(schema, { needs: typeof needs === 'function' ? needs : () => needs });
  return schema;
}

/** Problems of missing settings, without any value. */
export function missingNeeds(
  shape: z.ZodRawShape,
  given: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const value = given[name];
    if (value === undefined || value === 'false') return [];
    const needs = needsOf.get(schema as z.ZodType)?.needs(value) ?? [];
    return needs
      .filter((other) => given[other] === undefined || given[other] === 'false')
      .map((other) => `${name}: requires ${other}`);
  });
}
