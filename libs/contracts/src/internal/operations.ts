import type { z } from 'zod';
import type { RefusalCode } from '../refusal.ts';
import type { ServiceName } from '../topics.ts';
import type { FieldsSchema } from '../wire.ts';

/** An operation of the internal API of a service, as it and its callers know it. */
export interface InternalOperation {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Path with `{name}` for each path parameter. */
  readonly template: string;
  readonly callers: readonly ServiceName[];
  readonly input: {
    readonly path?: FieldsSchema;
    readonly query?: FieldsSchema;
    readonly body?: z.ZodType;
  };
  /** Of a success; 200 when absent. */
  readonly status?: 201;
  readonly response: z.ZodType;
  /** Refusals that are responses to the caller; any other is a fault. */
  readonly refusals?: readonly RefusalCode[];
}

type Rest = Pick<InternalOperation, 'input' | 'status' | 'response' | 'refusals'>;

/** Declares operations that these services may call. */
export function operationsFor(callers: readonly ServiceName[]) {
  const declare =
    <Method extends InternalOperation['method']>(method: Method) =>
    <const Template extends string, const Settings extends Rest>(
      template: Template,
      settings: Settings,
    ) => ({ ...settings, method, template, callers });
  return {
    get: declare('GET'),
    put: declare('PUT'),
    post: declare('POST'),
    remove: declare('DELETE'),
  };
}
