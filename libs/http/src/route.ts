import type { FieldsSchema } from '@inventory/contracts/wire';
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The schemas of a request's parts; a part without a schema is not read. */
export interface InputSchemas {
  readonly path?: FieldsSchema;
  /** Fields that are arrays may be repeated; every other one is given at most once. */
  readonly query?: FieldsSchema;
  /** By header name, as documented. */
  readonly header?: z.ZodObject;
  readonly body?: z.ZodType;
}

/** The parts of a request as their schemas return them. */
export type Input<Schemas extends InputSchemas> = {
  readonly [Part in keyof Schemas]: Schemas[Part] extends z.ZodType
    ? z.output<Schemas[Part]>
    : undefined;
};

/** The address and the input of one operation. */
export interface Endpoint<Schemas extends InputSchemas = InputSchemas> {
  readonly method: Method;
  /** Path with `{name}` for each path parameter. */
  readonly template: string;
  /** Whether the path is the same with a slash after it; another one when absent. */
  readonly mayEndInSlash?: boolean;
  readonly input: Schemas;
  /** How the body is read; `json` when absent. */
  readonly bodyType?: 'json' | 'bytes';
  /** Largest body that is read, in bytes; 16 KiB when absent. */
  readonly bodyBytesMax?: number;
}

/** The parts of a request before validation. */
export interface RawInput {
  readonly path: Readonly<Record<string, string>>;
  /** With UUIDs in lower case. */
  readonly query: URLSearchParams;
  /** Every value of every header, by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly body: unknown;
}

/** An operation whose dependencies are given. */
export interface BoundRoute<Request, Result> extends Endpoint {
  /** Validates the input and runs the operation. Throws `invalid_request`. */
  readonly run: (raw: RawInput, request: Request) => Promise<Result>;
}

/** A value as a handler returns it for a schema, which encodes it. */
export type DataOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value;
