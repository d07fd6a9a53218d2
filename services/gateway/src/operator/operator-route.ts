import type { InternalOperation } from '@inventory/contracts/internal/operations';
import type { OperatorCode } from '@inventory/contracts/refusal-codes';
import type { OperatorRole } from '@inventory/contracts/vocabulary';
import type { DocumentedEndpoint } from '@inventory/http/openapi-document';
import type { DocumentedResponse } from '@inventory/http/openapi-responses';
import { Reply } from '@inventory/http/reply';
import type { BoundRoute, DataOf, Input, InputSchemas, Method } from '@inventory/http/route';
import { validateInput } from '@inventory/http/validate-input';
import { z } from 'zod';
import type { AuditedChange } from './audit.ts';
import type { OperatorServices } from './operator-services.ts';

export type OperatorTag =
  | 'Accounts'
  | 'Projects'
  | 'Service accounts'
  | 'Credentials'
  | 'Money'
  | 'Terms'
  | 'Prices'
  | 'Webhooks'
  | 'Watches'
  | 'Services'
  | 'Audit';

/** What a handler can use of a request beside its input. */
export interface OperatorRequest {
  /** The first of these media types that the client accepts; false when it accepts none. */
  readonly accepts: (...types: string[]) => string | false;
  /** Runs a change between its two entries in the audit. */
  readonly audited: <Result>(change: AuditedChange, work: () => Promise<Result>) => Promise<Result>;
}

/** The words of its command, or of several with the fields that each of them sets. */
type CommandNames = string | Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** One operation without its handler. */
export interface OperatorEndpoint extends DocumentedEndpoint {
  readonly tag: OperatorTag;
  readonly description: string | undefined;
  /** What an operator needs to call it. */
  readonly role: OperatorRole;
  /** Name of the change in the audit log; undefined for reads. */
  readonly action: string | undefined;
  readonly status: 200 | 201 | 202;
  readonly command: CommandNames;
  /** Fields of an item that the command line lists; undefined shows the response as a record. */
  readonly columns: readonly string[] | undefined;
  /** What cannot be taken back: the command line does it with `--yes` only. */
  readonly irreversible: string | undefined;
  /** Schema of a success. */
  readonly response: z.ZodType;
  /** Other media types and headers of a success. */
  readonly documented: Omit<DocumentedResponse, 'description'>;
  /** Codes beside those of every operation of its kind. */
  readonly errors: readonly OperatorCode[];
}

/** An operation with its services. */
export interface BoundOperatorRoute
  extends OperatorEndpoint,
    BoundRoute<OperatorRequest, unknown> {}

export interface OperatorRoute extends OperatorEndpoint {
  bind(services: OperatorServices): BoundOperatorRoute;
}

interface OperatorRouteSettings<Schemas extends InputSchemas, Body extends z.ZodType> {
  readonly operationId: string;
  readonly tag: OperatorTag;
  readonly summary: string;
  readonly description?: string;
  readonly method: Method;
  /** Below `/operator/v1`. */
  readonly path: string;
  readonly role: OperatorRole;
  readonly action?: string;
  readonly command: CommandNames;
  readonly columns?: readonly string[];
  readonly irreversible?: string;
  /** 200 when absent. */
  readonly status?: OperatorEndpoint['status'];
  readonly input: Schemas;
  readonly response: Body;
  readonly documented?: OperatorEndpoint['documented'];
  readonly errors?: OperatorEndpoint['errors'];
  readonly handle: (
    services: OperatorServices,
    input: Input<Schemas>,
    request: OperatorRequest,
  ) => Promise<DataOf<Body> | Reply>;
}

interface PassedOn extends InternalOperation {
  readonly refusals?: readonly OperatorCode[];
}

/** What an operation for operators has in common with the internal one that it calls. */
export function sameAs<const Operation extends PassedOn>(operation: Operation) {
  const { method, template: path, refusals: errors = [] } = operation;
  const input: Operation['input'] = operation.input;
  const response: Operation['response'] = operation.response;
  return { method, path, input, response, errors };
}

/** Declares one operation of the operator API: address, schemas, texts and handler. */
export function operatorRoute<const Schemas extends InputSchemas, Body extends z.ZodType>(
  settings: OperatorRouteSettings<Schemas, Body>,
): OperatorRoute {
  const { path, input, handle, action, description, columns, irreversible, ...rest } = settings;
  const endpoint = {
    status: 200,
    documented: {},
    errors: [],
    ...rest,
    input,
    action,
    description,
    columns,
    irreversible,
    template: `/operator/v1${path}`,
  } as const;
  return {
    ...endpoint,
    bind: (services) => ({
      ...endpoint,
      run: (raw, request) => {
        const parsed = validateInput(input, raw);
        const work = async () => {
          const result = await handle(services, parsed, request);
          return result instanceof Reply
            ? result
            : z.encode(rest.response, result as z.output<Body>);
        };
        if (action === undefined) return work();
        // No two parts have a field of one name. Each field has its name on the wire.
        const sent = Object.entries(input).map(([part, schema]) => {
          const value = parsed[part as keyof Schemas];
          return schema instanceof z.ZodObject ? value : z.encode(schema, value);
        });
        const parameters: Record<string, unknown> = Object.assign({}, ...sent);
        return request.audited({ action, parameters }, work);
      },
    }),
  };
}
