import { z } from 'zod';

/** All problems of a configuration. */
export class SettingsError extends Error {
  override name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n  ${problems.join('\n  ')}`);
    this.problems = problems;
  }
}

const durationMax = 366 * 24 * 3600 * 1000;

/** A whole number in text form. */
export function integer(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^-?[0-9]+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}

export const port = () => integer(0, 65_535);
/** A duration; the setting's name ends with its unit. */
export const duration = () => integer(0, durationMax);
export const count = () => integer(0, 1_000_000_000);

export const flag = () => z.enum(['true', 'false']).transform((text) => text === 'true');

/** Comma-separated list; blanks around items are removed. */
export const list = () =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .pipe(z.array(z.string()).min(1, 'must name at least one'));

const secretKeyBytes = 32;

/** A key of 32 bytes in base64url; only the canonical spelling is valid. */
export const secretKey = () =>
  z.string().refine((key) => {
    const bytes = Buffer.from(key, 'base64url');
    return bytes.length === secretKeyBytes && bytes.toString('base64url') === key;
  }, `must be ${secretKeyBytes} bytes in base64url`);

export const text = () => z.string().min(1);
export const url = () => z.url({ protocol: /^https?$/ });

/** Names of the settings that a value requires; a flag among them must be true. */
type Needs = (value: string) => readonly string[];

const needsOf = z.registry<{ readonly needs: Needs }>();

/** A setting that has no meaning, or is unsafe, without others. */
export function needing<Schema extends z.ZodType>(
  schema: Schema,
  needs: readonly string[] | Needs,
): Schema {
  needsOf.add(schema, { needs: typeof needs === 'function' ? needs : () => needs });
  return schema;
}

/** What the settings of a shape are, once they are read. */
export type Parsed<Shape extends z.ZodRawShape> = ReadonlyLists<z.output<z.ZodObject<Shape>>>;

type ReadonlyLists<Values> = {
  readonly [Name in keyof Values]: Values[Name] extends (infer Item)[] | undefined
    ? Extract<Values[Name], undefined> | readonly Item[]
    : Values[Name];
};

/**
 * Reads the settings from the environment; an empty value counts as absent. Throws
 * {@link SettingsError} with every problem, without values: they may be secret.
 */
export function readSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  environment: Record<string, string | undefined>,
): Parsed<Shape> {
  const given = Object.fromEntries(
    Object.keys(shape)
      .map((name) => [name, environment[name]] as const)
      .filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = z.object(shape).safeParse(given);
  const missing = missingNeeds(shape, given);
  if (parsed.success && missing.length === 0) return parsed.data as Parsed<Shape>;
  const issues = parsed.error?.issues ?? [];
  throw new SettingsError([
    ...issues.map((issue) =>
      given[String(issue.path[0])] === undefined
        ? `${issue.path.join('.')} is required`
        : `${issue.path.join('.')}: ${issue.message}`,
    ),
    ...missing,
  ]);
}

/** Problems of missing settings, without any value. */
function missingNeeds(
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

/** Freezes a value at every depth. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
