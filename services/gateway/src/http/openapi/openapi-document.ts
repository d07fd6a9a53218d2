import {
  accountStatement,
  accountUsage,
  accountView,
  amounts,
} from '@inventory/contracts/http/account';
import { currentPage } from '@inventory/contracts/http/current';
import { errorMeta } from '@inventory/contracts/http/error-body';
import { eventPage } from '@inventory/contracts/http/events';
import { asset, description as assetDescription } from '@inventory/contracts/http/inventory-rows';
import { livePage } from '@inventory/contracts/http/live-page';
import {
  pageReadMeta,
  pagination,
  plainMeta,
  rateLimit,
  refreshAcceptanceMeta,
  requestIssue,
} from '@inventory/contracts/http/meta';
import { priceView } from '@inventory/contracts/http/prices';
import {
  balanceLowEvent,
  projectEvent,
  refreshCompletedEvent,
} from '@inventory/contracts/http/project-event';
import {
  refreshBilling,
  refreshPage,
  refreshRecord,
  refreshStatus,
} from '@inventory/contracts/http/refresh';
import { acceptedBatchItem, refusedBatchItem } from '@inventory/contracts/http/refresh-batch';
import { v1AliasFailure, v1InvalidRequest, v1OriginalFailure } from '@inventory/contracts/http/v1';
import { language } from '@inventory/contracts/languages';
import { scope } from '@inventory/contracts/scope';
import type { z } from 'zod';
import type { Endpoint, EndpointTag } from '../endpoint.ts';
import { errorSchemas } from './error-responses.ts';
import { definitionOf, type JsonSchema, type NamedSchemas } from './json-schema.ts';
import { operationOf } from './operation.ts';

const named: NamedSchemas = new Map<z.core.$ZodType, string>([
  [accountView, 'Account'],
  [amounts, 'Amounts'],
  [asset, 'Asset'],
  [assetDescription, 'Description'],
  [balanceLowEvent, 'BalanceLowEvent'],
  [currentPage, 'CurrentPage'],
  [errorMeta, 'ErrorMeta'],
  [eventPage, 'EventPage'],
  [language, 'Language'],
  [livePage, 'LivePage'],
  [pageReadMeta, 'PageReadMeta'],
  [pagination, 'Pagination'],
  [plainMeta, 'PlainMeta'],
  [priceView, 'Prices'],
  [projectEvent, 'ProjectEvent'],
  [rateLimit, 'RateLimit'],
  [refreshAcceptanceMeta, 'RefreshAcceptanceMeta'],
  [acceptedBatchItem, 'AcceptedBatchItem'],
  [refusedBatchItem, 'RefusedBatchItem'],
  [refreshBilling, 'RefreshBilling'],
  [refreshCompletedEvent, 'RefreshCompletedEvent'],
  [refreshPage, 'RefreshPage'],
  [refreshRecord, 'RefreshRecord'],
  [refreshStatus, 'RefreshStatus'],
  [requestIssue, 'RequestIssue'],
  [scope, 'Scope'],
  [accountStatement, 'Statement'],
  [accountUsage, 'Usage'],
  [v1AliasFailure, 'V1AliasFailure'],
  [v1InvalidRequest, 'V1InvalidRequest'],
  [v1OriginalFailure, 'V1OriginalFailure'],
]);

const tags: Readonly<Record<EndpointTag, string>> = {
  Refreshes: 'Complete collections in the background: start, follow, cancel, list.',
  Inventories: 'Reading what is saved, or the platform itself.',
  Events: 'What became terminal, as it happens and to look up.',
  Webhooks: 'The same events, sent to you, signed.',
  Account: 'Money, limits and prices.',
  'Version 1': 'Deprecated routes with their own bodies.',
};

const description =
  'Complete item inventories of accounts on a game platform. Every operation takes the secret of ' +
  'a Credential in `X-API-Key`; it belongs on a server, never in browser code. Errors carry a ' +
  'stable `error.code`; unknown fields and enum values may be added within a version.';

const headers = {
  'X-Request-ID': 'Names the request, for support.',
  'Retry-After': 'Seconds after which another try is worthwhile.',
  RateLimit: 'Where the account stands in the present minute (IETF draft).',
  'RateLimit-Policy': 'The limit that the account shares (IETF draft).',
};

/** The OpenAPI 3.1 document of these operations, as a plain object. */
export function openApiDocument(endpoints: readonly Endpoint[]): JsonSchema {
  return {
    openapi: '3.1.1',
    info: { title: 'Game Item Inventory Service', version: '2', description },
    servers: [{ url: '/' }],
    security: [{ ApiKey: [] }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths: pathsOf(endpoints),
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The secret of a Credential.',
        },
      },
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [
          name,
          { description: text, schema: { type: 'string' } },
        ]),
      ),
      schemas: {
        ...Object.fromEntries(
          [...named].map(([schema, name]) => [name, definitionOf(schema, { io: 'output', named })]),
        ),
        ...errorSchemas(named),
      },
    },
  };
}

function pathsOf(endpoints: readonly Endpoint[]): JsonSchema {
  const byTemplate = Map.groupBy(endpoints, ({ template }) => template);
  return Object.fromEntries(
    [...byTemplate].map(([template, own]) => [
      template,
      Object.fromEntries(
        own.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, named)]),
      ),
    ]),
  );
}
