import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '@inventory/operator-client/operation-types';

/** The parts of a JSON Schema that say how a value is given. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Operation {
  readonly operationId: OperationId;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { schema: Schema } } };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  readonly 'x-commands': Readonly<Record<string, Fields>>;
  readonly 'x-columns'?: readonly string[];
  readonly 'x-irreversible'?: string;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A field of an operation that a command line gives. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

/** An operation of the operator API, or one with some of its fields set, as a command. */
export interface OperatorCommand {
  /** Noun and verb, or the one word that is both. */
  readonly words: string;
  readonly operation: OperationId;
  readonly summary: string;
  readonly description: string;
  /** The fields that this command sets. */
  readonly sets: Fields;
  readonly fields: readonly Field[];
  /** The fields that a body may and must have; of several forms a body has one. */
  readonly forms: readonly { readonly may: readonly string[]; readonly must: readonly string[] }[];
  /** How many fields a body must have, whichever they are. */
  readonly fieldsMin: number;
  readonly hasKey: boolean;
  readonly hasCsv: boolean;
  readonly columns: readonly string[] | undefined;
  readonly irreversible: string | undefined;
}

const documentPath = join(__dirname, '../../../docs/generated/operator-openapi.json');

/** Every command of the operator API, by its OpenAPI document. */
export function readCommands(): OperatorCommand[] {
  const { paths } = JSON.parse(readFileSync(documentPath, 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return operations.flatMap((operation) =>
    Object.entries(operation['x-commands']).map(([words, sets]) =>
      commandOf(operation, words, sets),
    ),
  );
}

function commandOf(operation: Operation, words: string, sets: Fields): OperatorCommand {
  const { parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'].schema ?? {};
  const bodies = body.oneOf ?? body.anyOf ?? [body];
  const hasCsv = 'text/csv' in (responses['200']?.content ?? {});
  const isPreset = Object.keys(sets).length > 0;
  return {
    words,
    operation: operation.operationId,
    summary: isPreset ? `${operation.summary}: ${textOf(sets)}` : operation.summary,
    description: operation.description,
    sets,
    fields: [
      ...parameters
        .filter(({ name }) => !(hasCsv && name === 'format'))
        .map(({ name, description = '', schema, ...rest }) =>
          fieldOf(name, { description, ...schema }, rest.required && rest.in !== 'header'),
        ),
      ...bodyFields(bodies).filter(({ name, isRequired }) =>
        isPreset ? isRequired && !(name in sets) : true,
      ),
    ],
    forms: bodies.map(({ properties = {}, required = [] }) => ({
      may: Object.keys(properties),
      must: required,
    })),
    fieldsMin: body.minProperties ?? 0,
    hasKey: parameters.some(({ name }) => name === 'idempotency-key'),
    hasCsv,
    columns: operation['x-columns'],
    irreversible: operation['x-irreversible'],
  };
}

/** The fields of all forms; one is required where every form requires it. */
function bodyFields(bodies: readonly Schema[]): Field[] {
  const names = new Set(bodies.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].map((name) => {
    const schemas = bodies.flatMap(({ properties }) => properties?.[name] ?? []);
    const values = schemas.flatMap(({ const: value }) => value ?? []);
    const isRequired = bodies.every(({ required }) => required?.includes(name));
    const schema = values.length > 0 ? { type: 'string', enum: values } : (schemas[0] ?? {});
    return fieldOf(name, schema, isRequired);
  });
}

/** A field that is null by default needs no option for null: it is absent. */
function fieldOf(name: string, schema: Schema, isRequired: boolean): Field {
  const { anyOf = [], ...rest } = schema;
  const isNullable = anyOf.some(({ type }) => type === 'null') && schema.default !== null;
  const value = anyOf.find(({ type }) => type !== 'null');
  return { name, schema: { ...rest, ...value }, isRequired, isNullable };
}

function textOf(sets: Fields): string {
  return Object.entries(sets)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}
