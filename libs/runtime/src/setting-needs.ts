import { z } from 'zod';

/** Names that a given value needs to be given too; a flag among them as true. */
export type Needs = (value: string) => readonly string[];

const needsOf = z.registry<{ readonly needs: Needs }>();

/** A setting that means something only together with others, or that is unsafe without them. */
export function needing<Schema extends z.ZodType>(
  schema: Schema,
  needs: readonly string[] | Needs,
): Schema {
  needsOf.add(schema, { needs: typeof needs === 'function' ? needs : () => needs });
  return schema;
}

/** What is missing beside the given values, in words that repeat none of them. */
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
      .map((other) => `${name}: needs ${other} beside it`);
  });
}
