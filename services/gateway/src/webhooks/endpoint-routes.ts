import { plainMeta } from '@inventory/contracts/http/meta';
import { idempotencyKey, projectPath } from '@inventory/contracts/http/parameters';
import {
  deletedWebhookEndpoint,
  newWebhookEndpoint,
  type WebhookEndpointView,
  webhookEndpoint,
  webhookEndpointChange,
  webhookEndpointList,
  webhookEndpointPath,
  webhookEndpointsQuery,
  webhookEndpointWithSecret,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { z } from 'zod';
import { envelope } from '../http/envelope.ts';
import { exampleCursor, exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { requireEvents, requireOwnProject } from '../http/project-access.ts';
import { publicRoute } from '../http/public-route.ts';
import { openOrRefuse } from '../http/sealed-cursor.ts';
import { namedIn } from './webhook-client.ts';
import {
  endpointErrors,
  endpointExample,
  endpointsTemplate,
  endpointTemplate,
  secretExample,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

const continuing = [
  'readWebhookEndpoint',
  'changeWebhookEndpoint',
  'rotateWebhookSecret',
  'testWebhookEndpoint',
  'redeliverWebhookEvents',
  'listWebhookDeliveries',
  'deleteWebhookEndpoint',
];

/** POST …/webhook-endpoints: the Project's events are sent to a URL from now on. */
export const createWebhookEndpointRoute = publicRoute({
  operationId: 'createWebhookEndpoint',
  tag: webhookTag,
  summary: 'New webhook endpoint',
  description:
    'Sends the events of these types to the URL from now on, signed by the Standard Webhooks ' +
    'scheme with the `secret`, which is shown in this response only. The URL must be https and lead ' +
    'to public addresses. A Project can have ten endpoints.',
  method: 'POST',
  template: endpointsTemplate,
  permission: webhookPermission,
  input: { path: projectPath, body: newWebhookEndpoint },
  bodyExample: { url: endpointExample.url, types: endpointExample.types },
  answer: {
    status: 201,
    description: 'The endpoint with its secret.',
    links: Object.fromEntries(
      continuing.map((operationId) => [
        operationId,
        {
          project_id: '$response.body#/data/project_id',
          endpoint_id: '$response.body#/data/endpoint_id',
        },
      ]),
    ),
    body: { data: webhookEndpointWithSecret, meta: plainMeta },
    example: {
      success: true,
      data: { ...endpointExample, secret: secretExample },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'webhook_endpoint_limit_reached'],
  async handle({ webhooks }: WebhookDeps, { path, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    requireEvents(principal);
    const created = await webhooks.createEndpoint(principal, body);
    return { status: 201, body: envelope(created, { request_id: requestId }) };
  },
});

/** GET …/webhook-endpoints: the endpoints of the Project. */
export const listWebhookEndpointsRoute = publicRoute({
  operationId: 'listWebhookEndpoints',
  tag: webhookTag,
  summary: 'Webhook endpoints',
  description: 'The endpoints of the Project, oldest first.',
  method: 'GET',
  template: endpointsTemplate,
  permission: webhookPermission,
  input: { path: projectPath, query: webhookEndpointsQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    links: { listWebhookEndpoints: { ...sameProject, ...nextPart() } },
    body: { data: webhookEndpointList, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [endpointExample],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'invalid_cursor'],
  async handle(
    { webhooks, cursors }: WebhookDeps,
    { path, query: { limit, cursor } },
    { requestId, principal },
  ) {
    const projectId = path.project_id;
    requireOwnProject(principal, projectId);
    const binding = ['webhook-endpoints', projectId];
    const after = cursor === undefined ? '' : openOrRefuse(cursors, cursor, binding);
    const all = await webhooks.listEndpoints(projectId);
    const left = all.filter((endpoint) => placeOf(endpoint) > after);
    const items = left.slice(0, limit);
    const last = left.length > items.length ? items.at(-1) : undefined;
    const next_cursor = last === undefined ? null : cursors.seal(placeOf(last), binding);
    const pagination = { has_more: next_cursor !== null, next_cursor };
    return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
  },
});

/** As they are sorted, so that a list continues after an endpoint that was deleted meanwhile. */
function placeOf({ created_at, endpoint_id }: WebhookEndpointView): string {
  return `${created_at} ${endpoint_id}`;
}

/** GET …/webhook-endpoints/{endpoint_id}: one endpoint, without its secrets. */
export const readWebhookEndpointRoute = publicRoute({
  operationId: 'readWebhookEndpoint',
  tag: webhookTag,
  summary: 'Webhook endpoint',
  description: 'One endpoint, without its secrets.',
  method: 'GET',
  template: endpointTemplate,
  permission: webhookPermission,
  input: { path: webhookEndpointPath },
  answer: {
    status: 200,
    description: 'The endpoint.',
    body: { data: webhookEndpoint, meta: plainMeta },
    example: { success: true, data: endpointExample, meta: plainMetaExample },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const found = await webhooks.readEndpoint(namedIn(path));
    return { status: 200, body: envelope(found, { request_id: requestId }) };
  },
});

/** PATCH …/webhook-endpoints/{endpoint_id}: fields that are absent stay. */
export const changeWebhookEndpointRoute = publicRoute({
  operationId: 'changeWebhookEndpoint',
  tag: webhookTag,
  summary: 'Change a webhook endpoint',
  description:
    'Absent fields stay. An endpoint that is enabled again receives later events; missed ones ' +
    'are sent by redelivery.',
  method: 'PATCH',
  template: endpointTemplate,
  permission: webhookPermission,
  input: { path: webhookEndpointPath, body: webhookEndpointChange },
  bodyExample: { state: 'disabled' },
  answer: {
    status: 200,
    description: 'The endpoint as it is now.',
    body: { data: webhookEndpoint, meta: plainMeta },
    example: {
      success: true,
      data: { ...endpointExample, state: 'disabled', disabled_reason: 'requested' },
      meta: plainMetaExample,
    },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const changed = await webhooks.changeEndpoint(namedIn(path), body);
    return { status: 200, body: envelope(changed, { request_id: requestId }) };
  },
});

/** DELETE …/webhook-endpoints/{endpoint_id}: with its deliveries. */
export const deleteWebhookEndpointRoute = publicRoute({
  operationId: 'deleteWebhookEndpoint',
  tag: webhookTag,
  summary: 'Delete a webhook endpoint',
  description: 'With its deliveries. A delivery in progress may still arrive.',
  method: 'DELETE',
  template: endpointTemplate,
  permission: webhookPermission,
  input: { path: webhookEndpointPath },
  answer: {
    status: 200,
    description: 'The endpoint is deleted.',
    body: { data: deletedWebhookEndpoint, meta: plainMeta },
    example: {
      success: true,
      data: { endpoint_id: exampleIds.webhookEndpoint, deleted: true },
      meta: plainMetaExample,
    },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    await webhooks.deleteEndpoint(namedIn(path));
    const gone = { endpoint_id: path.endpoint_id, deleted: true } as const;
    return { status: 200, body: envelope(gone, { request_id: requestId }) };
  },
});

/** POST …/{endpoint_id}/rotate-secret: the replaced secret overlaps with the new one. */
export const rotateWebhookSecretRoute = publicRoute({
  operationId: 'rotateWebhookSecret',
  tag: webhookTag,
  summary: 'New secret of a webhook endpoint',
  description:
    'The replaced secret signs beside the new one for `overlap_seconds`, a day unless ' +
    'specified. While two secrets sign, a further rotation is refused unless `force` is set. With ' +
    'an `Idempotency-Key` the same request can be sent again for a day: it answers the same ' +
    'secret, which is shown in no other response.',
  method: 'POST',
  template: `${endpointTemplate}/rotate-secret`,
  permission: webhookPermission,
  input: {
    path: webhookEndpointPath,
    header: z.object({
      'Idempotency-Key': idempotencyKey
        .optional()
        .describe('Kept for a day: the same request again answers the same secret.'),
    }),
    body: webhookRotation,
  },
  bodyExample: { overlap_seconds: 3_600 },
  answer: {
    status: 200,
    description: 'The endpoint with its new secret.',
    body: { data: webhookEndpointWithSecret, meta: plainMeta },
    example: {
      success: true,
      data: {
        ...endpointExample,
        secrets: [
          { created_at: '2026-01-20T10:00:00.000Z', ends_at: null },
          { created_at: '2026-01-15T10:00:00.000Z', ends_at: '2026-01-20T11:00:00.000Z' },
        ],
        changed_at: '2026-01-20T10:00:00.000Z',
        secret: secretExample,
      },
      meta: plainMetaExample,
    },
    headers: { 'Idempotency-Replayed': '`true` where the key had been used before.' },
  },
  errors: [...endpointErrors, 'idempotency_conflict', 'secret_rotation_in_progress'],
  async handle({ webhooks }: WebhookDeps, { path, header, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const wanted = { ...body, key: header['Idempotency-Key'] };
    const { endpoint, replayedHeader } = await webhooks.rotateSecret(namedIn(path), wanted);
    const answer = envelope(endpoint, { request_id: requestId });
    return { status: 200, headers: replayedHeader, body: answer };
  },
});
