import { auditRecord } from '@inventory/contracts/http/audit';
import {
  credentialRecord,
  foundCredential,
  issuedCredential,
} from '@inventory/contracts/http/credentials';
import { requestIssue } from '@inventory/contracts/http/meta';
import {
  accountRecord,
  projectRecord,
  serviceAccountRecord,
} from '@inventory/contracts/http/tenancy';
import {
  webhookDelivery,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '@inventory/contracts/http/webhooks';
import {
  accountTerms,
  balanceView,
  holdView,
  statementRow,
} from '@inventory/contracts/internal/ledger';
import { admissionView } from '@inventory/contracts/internal/refresh';
import { priceList } from '@inventory/contracts/messages/price-list';
import { detailSchema } from '@inventory/contracts/refusal';
import { type OperatorCode, operatorCodes, rowOf } from '@inventory/contracts/refusal-codes';
import { type JsonSchema, jsonSchemaOf, type NamedSchemas } from '@inventory/http/json-schema';
import { type ApiDescription, openApiDocument } from '@inventory/http/openapi-document';
import {
  type DocumentedError,
  errorResponses,
  errorSchemas,
  successResponse,
} from '@inventory/http/openapi-responses';
import { z } from 'zod';
import { productVersion } from '../http/openapi/release.ts';
import type { OperatorEndpoint, OperatorTag } from './operator-route.ts';

const named: NamedSchemas = new Map<z.core.$ZodType, string>([
  [accountRecord, 'Account'],
  [projectRecord, 'Project'],
  [serviceAccountRecord, 'ServiceAccount'],
  [credentialRecord, 'Credential'],
  [foundCredential, 'FoundCredential'],
  [issuedCredential, 'IssuedCredential'],
  [balanceView, 'Balance'],
  [holdView, 'Hold'],
  [statementRow, 'StatementRow'],
  [accountTerms, 'Terms'],
  [priceList, 'PriceList'],
  [webhookEndpoint, 'WebhookEndpoint'],
  [webhookEndpointWithSecret, 'WebhookEndpointWithSecret'],
  [webhookDelivery, 'WebhookDelivery'],
  [admissionView, 'Admission'],
  [auditRecord, 'AuditEntry'],
  [requestIssue, 'RequestIssue'],
]);

const tags: Readonly<Record<OperatorTag, string>> = {
  Accounts: 'Customer accounts.',
  Projects: 'Projects of an account.',
  'Service accounts': 'Service accounts of an account: what its Credentials share.',
  Credentials: 'Credentials of a Project.',
  Money: 'Credits and units: booking and reading.',
  Terms: 'How an account pays, and what its Projects may spend.',
  Prices: 'Price lists: published once, with the date from which they are in force.',
  Webhooks: 'Support for the webhook endpoints of a customer.',
  Watches: 'Support for the watches of a customer.',
  Services: 'Admission, erasure and verification.',
  Audit: 'What operators did and attempted.',
};

const description =
  'Operations for operators, served on a port of its own. Requires the token of an operator as ' +
  '`Bearer`, with the role that the operation names: every role includes `read`, `admin` includes ' +
  'all. A request without a body counts as one whose body is `{}`. A change is in the audit before ' +
  'its effect, as are refused attempts.';

const statusTexts = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' } as const;

/** Details that only the operator API has. */
const operatorDetails: Partial<Record<OperatorCode, z.ZodType>> = {
  billing_unavailable: z.object({ outcome: z.enum(['unknown', 'not_sent']) }),
  service_unavailable: z.object({ reason: z.string() }).optional(),
};

const commonCodes: readonly OperatorCode[] = [
  'operator_token_required',
  'operator_throttled',
  'internal_error',
  'service_unavailable',
];
const bodyCodes: readonly OperatorCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
];

/** Every code that an operation can return, in the order of the table. */
export function operatorCodesOf({ input, errors, role }: OperatorEndpoint): OperatorCode[] {
  const takesInput = Object.values(input).some((part) => part !== undefined);
  const codes = new Set<OperatorCode>([
    ...commonCodes,
    ...(role === 'read' ? [] : (['operator_role_required'] as const)),
    ...(takesInput ? (['invalid_request'] as const) : []),
    ...(input.body === undefined ? [] : bodyCodes),
    ...errors,
  ]);
  return operatorCodes.filter((code) => codes.has(code));
}

function textOf(code: OperatorCode): string {
  const { message, operatorMessage = message } = rowOf(code);
  return operatorMessage;
}

function errorOf(code: OperatorCode): JsonSchema {
  const detail = operatorDetails[code] ?? detailSchema(code);
  const schema = z.object({
    code: z.literal(code),
    message: z.literal(textOf(code)),
    ...(detail === undefined ? {} : { detail }),
  });
  return jsonSchemaOf(schema, { io: 'output', named });
}

/** The body with this `error`. */
function errorBodyOf(error: JsonSchema): JsonSchema {
  return { type: 'object', properties: { error }, required: ['error'] };
}

/** Common schema of all refusals. */
const anyErrorBody = z.object({
  error: z.object({
    code: z.enum(operatorCodes),
    message: z.string(),
    detail: z.record(z.string(), z.unknown()).optional(),
  }),
});

function documentedError(code: OperatorCode): DocumentedError {
  return {
    code,
    status: rowOf(code).status,
    message: textOf(code),
    headers: ['X-Request-ID'],
  };
}

const operatorApi: ApiDescription<OperatorEndpoint> = {
  info: {
    title: 'Game Item Inventory Service: operator API',
    version: productVersion,
    description,
  },
  tags,
  security: { OperatorToken: { type: 'http', scheme: 'bearer' } },
  headers: { 'X-Request-ID': 'Id of the request, also in the log.' },
  named,
  schemas: {
    Error: jsonSchemaOf(anyErrorBody, { io: 'output', named }),
    ...errorSchemas(operatorCodes, errorOf, errorBodyOf),
  },
  mayOmitBody: true,
  describe: ({ description: text = '', action, role, ...ofCommands }) => {
    const { command, columns, irreversible } = ofCommands;
    const needed = `Needs the role \`${role}\`.`;
    const audited = action === undefined ? '' : `Audited as \`${action}\`.`;
    const texts = [text, needed, audited].filter((part) => part !== '');
    // Of a scheme that is not OAuth these are the roles that are required.
    return {
      description: texts.join('\n\n'),
      security: [{ OperatorToken: [role] }],
      'x-commands': typeof command === 'string' ? { [command]: {} } : command,
      ...(columns && { 'x-columns': columns }),
      ...(irreversible && { 'x-irreversible': irreversible }),
    };
  },
  responses: (endpoint) => ({
    [String(endpoint.status)]: successResponse(
      { description: statusTexts[endpoint.status], ...endpoint.documented },
      {
        type: 'application/json',
        schema: jsonSchemaOf(endpoint.response, { io: 'output', named }),
        commonHeaders: ['X-Request-ID'],
      },
    ),
    ...errorResponses(operatorCodesOf(endpoint).map(documentedError), errorBodyOf),
  }),
};

/** The OpenAPI document of the operator API, as a plain object. */
export function operatorDocument(endpoints: readonly OperatorEndpoint[]): JsonSchema {
  return openApiDocument(operatorApi, endpoints);
}
