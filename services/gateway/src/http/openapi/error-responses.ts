import { v1AliasFailure, v1InvalidRequest, v1OriginalFailure } from '@inventory/contracts/http/v1';
import { requestId } from '@inventory/contracts/ids';
import { detailSchema, hasRetryAfter } from '@inventory/contracts/refusal';
import { type PublicCode, publicCodes, rowOf } from '@inventory/contracts/refusal-codes';
import {
  type JsonSchema,
  jsonSchemaOf,
  type NamedSchemas,
  referenceTo,
} from '@inventory/http/json-schema';
import { type DocumentedError, errorSchemas } from '@inventory/http/openapi-responses';
import { z } from 'zod';
import type { PublicEndpoint } from '../public-route.ts';
import { v1OriginalText } from '../v1/v1-failures.ts';
import { errorExample, exampleRateLimit, plainMetaExample } from './examples.ts';

/** Codes of the connection, before a request has a route. */
const connectionErrors: readonly PublicCode[] = [
  'malformed_request',
  'request_timeout',
  'headers_too_large',
];
const commonCodes: readonly PublicCode[] = [
  ...connectionErrors,
  'not_acceptable',
  'missing_api_key',
  'invalid_api_key',
  'permission_denied',
  'invalid_request',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
];
/** Of operations that require a key. */
const keyCodes: readonly PublicCode[] = ['missing_api_key', 'invalid_api_key', 'permission_denied'];
const bodyCodes: readonly PublicCode[] = [
  'malformed_json',
  'unsupported_media_type',
  'payload_too_large',
];

/** Every code that an operation can respond with, in the order of the contract's table. */
export function errorCodesOf(endpoint: PublicEndpoint): PublicCode[] {
  const codes = new Set<PublicCode>([
    ...commonCodes,
    ...(endpoint.input.body === undefined ? [] : bodyCodes),
    ...(endpoint.environment === undefined ? [] : (['route_not_found'] as const)),
    ...endpoint.errors,
  ]);
  if (endpoint.isOpen) for (const code of keyCodes) codes.delete(code);
  return publicCodes.filter((code) => codes.has(code));
}

/** The schemas of each code, which determines the type of `error.detail`. */
export function publicErrorSchemas(named: NamedSchemas): Record<string, JsonSchema> {
  const errorOf = (code: PublicCode) => {
    const detail = detailSchema(code);
    const schema = z.object({
      code: z.literal(code),
      message: z.string().describe('For people: it may change.'),
      request_id: requestId,
      ...(detail === undefined ? {} : { detail }),
    });
    return jsonSchemaOf(schema, { io: 'output', named });
  };
  return errorSchemas(publicCodes, errorOf, errorBodyOf);
}

/** The body with this `error`. */
export function errorBodyOf(error: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: false },
      error,
      meta: referenceTo('ErrorMeta'),
    },
    required: ['success', 'error', 'meta'],
  };
}

/** The failures of an operation: schema and example of each code. */
export function documentedErrors(endpoint: PublicEndpoint, named: NamedSchemas): DocumentedError[] {
  return errorCodesOf(endpoint).map((code) => ({
    code,
    status: rowOf(code).status,
    message: rowOf(code).message,
    ...(isCommon(endpoint, code) ? {} : { body: v1BodyOf(endpoint, code, named) }),
    example: exampleOf(endpoint, code),
    headers: headersOf(endpoint, code),
  }));
}

/** Of every response of V1. */
export const v1Headers = {
  Deprecation: 'Date of the deprecation of V1 (RFC 9745).',
  Link: 'What replaces the route (`rel="successor-version"`).',
};

/** Of a response of V1 that is charged. */
export function billedHeadersOf({ dialect }: PublicEndpoint): string[] {
  if (dialect === undefined) return [];
  const original = dialect === 'original' ? ['X-Api-Credits-Remaining'] : [];
  const units = ['X-Units-Charged', 'X-Units-Remaining'];
  return ['X-Credits-Charged', 'X-Credits-Remaining', ...original, ...units];
}

function headersOf(endpoint: PublicEndpoint, code: PublicCode): string[] {
  return [
    'X-Request-ID',
    ...(hasRetryAfter(code) ? ['Retry-After'] : []),
    ...(ofNobody.includes(code) || endpoint.isOpen ? [] : ['RateLimit', 'RateLimit-Policy']),
    ...(isCommon(endpoint, code) ? [] : Object.keys(v1Headers)),
    ...(chargedCodes.includes(code) ? billedHeadersOf(endpoint) : []),
  ];
}

function isCommon({ dialect }: PublicEndpoint, code: PublicCode): boolean {
  return dialect === undefined || connectionErrors.includes(code);
}

function v1BodyOf({ dialect }: PublicEndpoint, code: PublicCode, named: NamedSchemas): JsonSchema {
  if (code === 'invalid_request') return jsonSchemaOf(v1InvalidRequest, { io: 'output', named });
  const failure = dialect === 'original' ? v1OriginalFailure : v1AliasFailure;
  return jsonSchemaOf(failure, { io: 'output', named });
}

function exampleOf(endpoint: PublicEndpoint, code: PublicCode): unknown {
  const error = errorExample(code);
  if (isCommon(endpoint, code)) return { success: false, error, meta: metaOf(endpoint, code) };
  const isText = endpoint.dialect === 'original' && code !== 'invalid_request';
  return isText ? { detail: v1OriginalText(code) } : { error };
}

/** Codes that are decided before the account is known: their `meta` has no billing fields. */
export const ofNobody: readonly PublicCode[] = [
  ...connectionErrors,
  'not_acceptable',
  'missing_api_key',
  'invalid_api_key',
];
/** Codes that are charged. */
export const chargedCodes: readonly PublicCode[] = ['inventory_private', 'inventory_not_found'];

function metaOf({ product }: PublicEndpoint, code: PublicCode): JsonSchema {
  if (product === undefined || ofNobody.includes(code)) return plainMetaExample;
  const billed = { ...plainMetaExample, product_code: product, price_version: 1 };
  if (!chargedCodes.includes(code)) {
    return {
      ...billed,
      credits_charged: 0,
      billing_disposition: 'not_charged',
      billing_reason: code === 'inventory_revision_not_found' ? 'no_revision' : null,
      rate_limit: exampleRateLimit,
    };
  }
  return {
    ...billed,
    credits_charged: 1,
    credits_remaining: 996,
    billing_disposition: 'charged',
    billing_reason: code === 'inventory_private' ? 'private_confirmed' : 'not_found_confirmed',
    rate_limit: exampleRateLimit,
  };
}
