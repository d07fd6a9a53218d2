import {
  accountStatement,
  accountUsage,
  accountView,
  amounts,
  projectView,
} from '@inventory/contracts/http/account';
import { changesPage } from '@inventory/contracts/http/changes';
import {
  credentialList,
  credentialRecord,
  issuedCredential,
} from '@inventory/contracts/http/credentials';
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
  watchPausedEvent,
} from '@inventory/contracts/http/project-event';
import {
  refreshBilling,
  refreshPage,
  refreshRecord,
  refreshStatus,
} from '@inventory/contracts/http/refresh';
import { acceptedBatchItem, refusedBatchItem } from '@inventory/contracts/http/refresh-batch';
import { serviceStatus } from '@inventory/contracts/http/status';
import {
  checkpointData,
  closingData,
  recoveryData,
  revokedData,
} from '@inventory/contracts/http/stream-frames';
import { inventorySummary } from '@inventory/contracts/http/summary';
import { v1AliasFailure, v1InvalidRequest, v1OriginalFailure } from '@inventory/contracts/http/v1';
import {
  acceptedWatchItem,
  refusedWatchItem,
  watchRun,
  watchTest,
  watchView,
} from '@inventory/contracts/http/watches';
import {
  webhookAttempt,
  webhookDelivery,
  webhookEndpoint,
  webhookEndpointWithSecret,
  webhookPingEvent,
} from '@inventory/contracts/http/webhooks';
import { creditFunding, subscriptionFunding } from '@inventory/contracts/internal/ledger';
import { inventoryKey } from '@inventory/contracts/inventory-key';
import { language } from '@inventory/contracts/languages';
import {
  issuedLimit,
  peerLimit,
  readLimit,
  requestLimit,
  undeliveredLimit,
  unknownKeysLimit,
} from '@inventory/contracts/limit-details';
import {
  type JsonSchema,
  jsonSchemaOf,
  mapValues,
  type NamedSchemas,
} from '@inventory/http/json-schema';
import { type ApiDescription, openApiDocument } from '@inventory/http/openapi-document';
import { errorResponses, successResponse } from '@inventory/http/openapi-responses';
import type { z } from 'zod';
import type { PublicEndpoint, PublicTag } from '../public-route.ts';
import { llmsPath } from '../serve-pages.ts';
import {
  billedHeadersOf,
  documentedErrors,
  errorBodyOf,
  publicErrorSchemas,
  v1Headers,
} from './error-responses.ts';
import { exampleIds, exampleScope } from './examples.ts';
import { productVersion } from './release.ts';
import { frameSchemas, webhookRequests } from './sent-events.ts';

const named: NamedSchemas = new Map<z.core.$ZodType, string>([
  [accountView, 'Account'],
  [amounts, 'Amounts'],
  [asset, 'Asset'],
  [assetDescription, 'Description'],
  [balanceLowEvent, 'BalanceLowEvent'],
  [checkpointData, 'StreamCheckpoint'],
  [closingData, 'StreamClosing'],
  [recoveryData, 'StreamRecoveryRequired'],
  [revokedData, 'StreamAuthorizationRevoked'],
  [currentPage, 'CurrentPage'],
  [changesPage, 'ChangesPage'],
  [errorMeta, 'ErrorMeta'],
  [eventPage, 'EventPage'],
  [language, 'Language'],
  [livePage, 'LivePage'],
  [pageReadMeta, 'PageReadMeta'],
  [pagination, 'Pagination'],
  [plainMeta, 'PlainMeta'],
  [priceView, 'Prices'],
  [projectEvent, 'ProjectEvent'],
  [webhookAttempt, 'WebhookAttempt'],
  [webhookDelivery, 'WebhookDelivery'],
  [webhookEndpoint, 'WebhookEndpoint'],
  [webhookEndpointWithSecret, 'WebhookEndpointWithSecret'],
  [webhookPingEvent, 'WebhookPingEvent'],
  [projectView, 'Project'],
  [inventorySummary, 'InventorySummary'],
  [rateLimit, 'RateLimit'],
  [requestLimit, 'RequestLimit'],
  [readLimit, 'ReadLimit'],
  [undeliveredLimit, 'UndeliveredLimit'],
  [unknownKeysLimit, 'UnknownKeysLimit'],
  [peerLimit, 'PeerLimit'],
  [issuedLimit, 'IssuedLimit'],
  [watchView, 'Watch'],
  [watchRun, 'WatchRun'],
  [watchTest, 'WatchTest'],
  [acceptedWatchItem, 'AcceptedWatchItem'],
  [refusedWatchItem, 'RefusedWatchItem'],
  [creditFunding, 'CreditFunding'],
  [subscriptionFunding, 'SubscriptionFunding'],
  [watchPausedEvent, 'WatchPausedEvent'],
  [refreshAcceptanceMeta, 'RefreshAcceptanceMeta'],
  [acceptedBatchItem, 'AcceptedBatchItem'],
  [refusedBatchItem, 'RefusedBatchItem'],
  [refreshBilling, 'RefreshBilling'],
  [refreshCompletedEvent, 'RefreshCompletedEvent'],
  [refreshPage, 'RefreshPage'],
  [refreshRecord, 'RefreshRecord'],
  [refreshStatus, 'RefreshStatus'],
  [requestIssue, 'RequestIssue'],
  [inventoryKey, 'Scope'],
  [serviceStatus, 'ServiceStatus'],
  [accountStatement, 'Statement'],
  [accountUsage, 'Usage'],
  [credentialRecord, 'Credential'],
  [issuedCredential, 'IssuedCredential'],
  [credentialList, 'CredentialList'],
  [v1AliasFailure, 'V1AliasFailure'],
  [v1InvalidRequest, 'V1InvalidRequest'],
  [v1OriginalFailure, 'V1OriginalFailure'],
]);

const tags: Readonly<Record<PublicTag, string>> = {
  Refreshes: 'Complete collections in the background: start, follow, cancel, list.',
  Inventories: 'Pages of saved inventories and of the platform.',
  Watches: 'Inventories that are refreshed again and again.',
  Events: 'Terminal refreshes, as a stream and as a list.',
  Webhooks: 'The same events, sent as signed requests.',
  Account: 'Money, limits and prices.',
  Credentials: 'Keys of the Project, issued by its customer.',
  Status: 'How the service does.',
  Sandbox: 'What a sandbox can be put into, instead of waiting for it.',
  'Version 1': 'Deprecated routes with their own bodies.',
};

const description =
  'Complete item inventories of accounts on a game platform. Every operation takes the secret of ' +
  'a Credential in `X-API-Key`; it belongs on a server, never in browser code. Errors carry a ' +
  'stable `error.code`, and `/llms.txt` has what to do about them; unknown fields and enum values ' +
  'may be added within a version.\n\n' +
  'With an `Idempotency-Key` a refresh can be requested again for as long as it is kept, and a page ' +
  'read again three times within 10 minutes; the same key with other inputs is 409 ' +
  '`idempotency_conflict`. A refused request leaves its key free. The rotation of a webhook secret ' +
  'repeats its response under the key for a day. Operations that do not list the header ignore it.';

const headers = {
  'X-Request-ID': 'Id of the request, for support.',
  'Retry-After': 'Seconds after which to retry.',
  RateLimit: 'Requests left of the Service account in the current minute (IETF draft).',
  'RateLimit-Policy': 'The limit of the Service account (IETF draft).',
  ...v1Headers,
  'X-Credits-Charged': 'What the response cost.',
  'X-Credits-Remaining': 'Credits available after it.',
  'X-Api-Credits-Remaining': 'The same as `X-Credits-Remaining`.',
  'X-Units-Charged': 'Subscription units that the response cost, for accounts with them.',
  'X-Units-Remaining': 'Subscription units available after it.',
};

const securityScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: 'The secret of a Credential.',
};

const publicApi: ApiDescription<PublicEndpoint> = {
  info: { title: 'Game Item Inventory Service', version: productVersion, description },
  tags,
  security: { ApiKey: securityScheme },
  headers,
  named,
  schemas: { ...frameSchemas(named), ...publicErrorSchemas(named) },
  parameterExamples: {
    ...exampleScope,
    project_id: exampleIds.project,
    refresh_id: exampleIds.refresh,
    endpoint_id: exampleIds.webhookEndpoint,
    credential_id: exampleIds.credential,
    // What the reference fills in: the default is far more than a person reads.
    page_size: 50,
  },
  mayOmitBody: false,
  describe: ({ description: text, permission, environment, dialect, isOpen = false }) => ({
    description: `${text}\n\n${environment ? sandboxText : permissionText(permission, isOpen)}`,
    ...(isOpen ? { security: [] } : {}),
    ...(dialect === undefined ? {} : { deprecated: true }),
    ...(permission === undefined ? {} : { 'x-permission': permission }),
  }),
  responses: (endpoint) => ({
    ...successResponses(endpoint),
    ...errorResponses(documentedErrors(endpoint, named), errorBodyOf),
  }),
};

/**
 * The OpenAPI document of the public API, as a plain object. `eventsOrigin` is the origin of the
 * operations with one of their own.
 */
export function publicDocument(
  endpoints: readonly PublicEndpoint[],
  eventsOrigin: string | null = null,
): JsonSchema {
  const describe = (endpoint: PublicEndpoint) => ({
    ...publicApi.describe(endpoint),
    ...(endpoint.hasEventsOrigin && eventsOrigin ? { servers: [{ url: eventsOrigin }] } : {}),
  });
  const document = openApiDocument({ ...publicApi, describe }, endpoints);
  const externalDocs = { description: 'Errors and main routes on one page of text', url: llmsPath };
  return { ...document, externalDocs, webhooks: webhookRequests(named) };
}

const sandboxText =
  'Open to any active Credential of a sandbox; with any other key the route does not exist.';

function permissionText(permission: string | undefined, isOpen: boolean): string {
  if (isOpen) return 'Open to anyone, without a key.';
  return permission === undefined
    ? 'Open to any active Credential.'
    : `Needs the permission \`${permission}\`.`;
}

function successResponses(endpoint: PublicEndpoint): JsonSchema {
  const { isOpen = false, dialect } = endpoint;
  const { also, ...response } = endpoint.response;
  const content = {
    ...contentOf(response.body),
    commonHeaders: [
      'X-Request-ID',
      ...(isOpen ? [] : ['RateLimit', 'RateLimit-Policy']),
      ...(dialect === undefined ? [] : Object.keys(v1Headers)),
      ...billedHeadersOf(endpoint),
    ],
  };
  const responses = also === undefined ? [response] : [response, also];
  return Object.fromEntries(responses.map((one) => [one.status, successResponse(one, content)]));
}

function contentOf(body: PublicEndpoint['response']['body']): { type: string; schema: JsonSchema } {
  const options = { io: 'output', named } as const;
  const type = 'application/json';
  if ('text' in body) {
    const { text, frames } = body;
    const schemas = frames && mapValues(frames, (frame) => jsonSchemaOf(frame, options));
    return { type: text, schema: { type: 'string', ...(schemas && { 'x-frames': schemas }) } };
  }
  if ('unwrapped' in body) return { type, schema: jsonSchemaOf(body.unwrapped, options) };
  const schema = {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: true },
      data: jsonSchemaOf(body.data, options),
      meta: jsonSchemaOf(body.meta, options),
    },
    required: ['success', 'data', 'meta'],
  };
  return { type, schema };
}
