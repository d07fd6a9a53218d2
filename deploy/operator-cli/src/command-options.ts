import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Field, Fields, OperatorCommand, Schema } from './operator-commands.ts';

/** What was given, by the name of the option as `commander` stores it. */
export type Given = Readonly<Record<string, unknown>>;

/** An id with a prefix needs no `_id`; of an array each value is given by itself. */
function flagOf({ name, schema }: Field): string {
  if (name === 'idempotency-key') return 'key';
  const one = schema.type === 'array' ? name.replace(/s$/, '') : name;
  return (prefixOf(schema) === undefined ? one : one.replace(/_id$/, '')).replaceAll('_', '-');
}

/** The options that give a field: null and false have one of their own. */
export function optionsOf(field: Field): Option[] {
  const { schema, isRequired, isNullable } = field;
  const flag = flagOf(field);
  const isBoolean = schema.type === 'boolean';
  const value = isBoolean ? '' : ` <${placeholderOf(schema)}>`;
  const option = new Option(`--${flag}${value}`, helpOf(field));
  if (!isBoolean) option.argParser(parserOf(schema));
  if (isRequired) option.makeOptionMandatory();
  const isNegated = isBoolean ? schema.default === undefined : isNullable;
  const not = new Option(`--no-${flag}`, isBoolean ? `not --${flag}` : `null for --${flag}`);
  return isNegated ? [option, not] : [option];
}

/** The fields that were given. */
export function fieldsOf({ fields, sets }: OperatorCommand, given: Given): Fields {
  const values = fields.flatMap((field) => {
    const [option] = optionsOf(field);
    const value = option && given[option.attributeName()];
    if (value === undefined) return [];
    return [[field.name, value === false && field.isNullable ? null : value] as const];
  });
  return { ...Object.fromEntries(values), ...sets };
}

/** Ends with a usage error unless the options make one body that the operation can have. */
export function checkOptions(
  command: Command,
  of: OperatorCommand,
  { fields: given, args }: { readonly fields: Fields; readonly args: readonly string[] },
): void {
  for (const flag of of.fields.map(flagOf)) {
    const isGiven = (name: string) =>
      args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
    if (isGiven(flag) && isGiven(`no-${flag}`)) {
      command.error(`error: --${flag} and --no-${flag} exclude each other`);
    }
  }
  const possible = new Set(of.forms.flatMap(({ may }) => may));
  const ofBody = Object.keys(given).filter((name) => possible.has(name));
  const fits = of.forms.some(
    ({ may, must }) =>
      must.every((name) => name in given) && ofBody.every((name) => may.includes(name)),
  );
  const flagsOf = (names: readonly string[]) =>
    of.fields.filter(({ name }) => names.includes(name)).map((field) => `--${flagOf(field)}`);
  if (!fits) {
    const forms = of.forms.map(({ must }) => flagsOf(must).join(' with '));
    command.error(`error: exactly one of ${forms.join(', ')} must be given`);
  }
  if (ofBody.length < of.fieldsMin) {
    command.error(`error: at least one of ${flagsOf([...possible]).join(', ')} must be given`);
  }
}

function prefixOf({ pattern }: Schema): string | undefined {
  return /^\^([a-z]+_)/.exec(pattern ?? '')?.[1];
}

function placeholderOf(schema: Schema): string {
  const { type, format, minimum, maximum, items } = schema;
  const prefix = prefixOf(schema);
  if (prefix !== undefined) return `${prefix}…`;
  if (items !== undefined) return placeholderOf(items);
  if (schema.enum !== undefined) return schema.enum.length > 4 ? 'one' : schema.enum.join('|');
  if (type === 'integer') return maximum === undefined ? 'n' : `${minimum} to ${maximum}`;
  return format === 'date-time' ? 'time' : 'text';
}

function helpOf({ name, schema }: Field): string {
  const { description, items, default: absent } = schema;
  const parts = [
    description,
    name === 'idempotency-key' ? 'Generated when absent.' : undefined,
    items && 'Repeatable.',
    items?.enum && `One of ${items.enum.join(', ')}.`,
    absent === undefined || absent === null ? undefined : `${String(absent)} when absent.`,
  ];
  return parts.filter(Boolean).join(' ');
}

function parserOf({ type, items, enum: values }: Schema) {
  return (value: string, previous: unknown): unknown => {
    if (type === 'array') {
      return [...((previous as readonly unknown[] | undefined) ?? []), checked(value, items?.enum)];
    }
    if (previous !== undefined) throw new InvalidArgumentError('It is given more than once.');
    if (type !== 'integer') return checked(value, values);
    if (/^(0|-?[1-9][0-9]{0,14})$/.test(checked(value))) return Number(value);
    throw new InvalidArgumentError('It must be a whole number.');
  };
}

function checked(value: string, values: readonly string[] = [value]): string {
  if (value === '') throw new InvalidArgumentError('It must not be empty.');
  // A URL takes them as steps up its path, however they are encoded.
  if (value === '.' || value === '..') throw new InvalidArgumentError('It must be more than dots.');
  if (value.startsWith('--')) throw new InvalidArgumentError('It is the name of an option.');
  if (values.includes(value)) return value;
  throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
}
