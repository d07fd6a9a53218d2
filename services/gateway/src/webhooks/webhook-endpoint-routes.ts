import { projectPath } from '@inventory/contracts/http/parameters';
import {
  deletedWebhookEndpoint,
  newWebhookEndpoint,
  webhookEndpoint,
  webhookEndpointChange,
  webhookEndpointList,
  webhookEndpointPath,
  webhookEndpointsQuery,
  webhookEndpointWithSecret,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { isoTime } from '@inventory/runtime/clock';
import type { z } from 'zod';
import { requireEvents } from '../http/authorize.ts';
import { dataRoute, partOf } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { listParts } from '../http/sealed-cursor.ts';
import { secretHeaders, secretResponseHeaders } from '../secrets/promised-secrets.ts';
import { createWebhookEndpoint } from './create-endpoint.ts';
import { rotateWebhookSecret } from './rotate-secret.ts';
import type { WebhookServices } from './webhook-services.ts';

/** Of every operation on webhooks. */
export const webhookOperation = {
  tag: 'Webhooks',
  permission: 'customer.webhooks.manage.v1',
} as const;

const endpointsTemplate = '/v2/projects/{project_id}/webhook-endpoints';
export const endpointTemplate = `${endpointsTemplate}/{endpoint_id}` as const;

export const endpointExample: z.input<typeof webhookEndpoint> = {
  endpoint_id: exampleIds.webhookEndpoint,
  project_id: exampleIds.project,
  url: 'https://example.com/hooks/inventory',
  description: 'Production',
  types: ['inventory.refresh.completed'],
  state: 'enabled',
  disabled_reason: null,
  failing_since: null,
  secrets: [{ created_at: '2026-01-15T10:00:00.000Z', ends_at: null }],
  created_at: '2026-01-15T10:00:00.000Z',
  changed_at: '2026-01-15T10:00:00.000Z',
};
const secretExample = 'whsec_CkJ8yzrm6OvkcU4c0M3hSvv0j1GPVDyYw4xJ1T9yQmE=';

const continuing = [
  'readWebhookEndpoint',
  'changeWebhookEndpoint',
  'rotateWebhookSecret',
  'testWebhookEndpoint',
  'redeliverWebhookEvents',
  'listWebhookDeliveries',
  'deleteWebhookEndpoint',
];

const createWebhookEndpointRoute = dataRoute({
  ...webhookOperation,
  operationId: 'createWebhookEndpoint',
  summary: 'New webhook endpoint',
  description:
    'Sends the events of these types to the URL from now on, signed by the Standard Webhooks ' +
    'scheme with the `secret`, which is shown in this response only; with an `Idempotency-Key` the ' +
    'same request again returns it for a day. The URL must be https and lead to public addresses. A ' +
    'Project can have ten endpoints.',
  method: 'POST',
  template: endpointsTemplate,
  input: { path: projectPath, header: secretHeaders, body: newWebhookEndpoint },
  bodyExample: { url: endpointExample.url, types: endpointExample.types },
  response: {
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
    data: webhookEndpointWithSecret,
    example: { ...endpointExample, secret: secretExample },
    headers: secretResponseHeaders,
  },
  errors: ['webhook_endpoint_limit_reached', 'webhook_endpoint_not_found', 'idempotency_conflict'],
  async handle(services: WebhookServices, { header, body: wanted }, { principal }) {
    requireEvents(principal);
    const key = header['Idempotency-Key'];
    const { endpoint, headers } = await createWebhookEndpoint(services, principal, wanted, key);
    return { data: endpoint, headers };
  },
});

const listWebhookEndpointsRoute = dataRoute({
  ...webhookOperation,
  operationId: 'listWebhookEndpoints',
  summary: 'Webhook endpoints',
  description: 'The endpoints of the Project, oldest first.',
  method: 'GET',
  template: endpointsTemplate,
  input: { path: projectPath, query: webhookEndpointsQuery },
  response: partOf(webhookEndpointList, endpointExample, {
    listWebhookEndpoints: { ...sameProject, ...nextPart() },
  }),
  errors: ['invalid_cursor'],
  async handle({ webhooks, cursors }: WebhookServices, { path, query: { limit, cursor } }) {
    const parts = listParts(cursors, ['webhook-endpoints', path.projectId]);
    const after = parts.begin(cursor) ?? '';
    const { items } = await webhooks.call(webhookApi.listEndpoints, { path });
    const left = items.filter((endpoint) => orderKeyOf(endpoint) > after);
    return { data: parts.take(left, limit, orderKeyOf) };
  },
});

/** As they are sorted, so that a list continues after an endpoint that was deleted meanwhile. */
function orderKeyOf({ createdAtMs, endpointId }: z.output<typeof webhookEndpoint>): string {
  return `${isoTime(createdAtMs)} ${endpointId}`;
}

const readWebhookEndpointRoute = dataRoute({
  ...webhookOperation,
  operationId: 'readWebhookEndpoint',
  summary: 'Webhook endpoint',
  description: 'One endpoint, without its secrets.',
  method: 'GET',
  template: endpointTemplate,
  input: { path: webhookEndpointPath },
  response: {
    status: 200,
    description: 'The endpoint.',
    data: webhookEndpoint,
    example: endpointExample,
  },
  errors: ['webhook_endpoint_not_found'],
  handle: async ({ webhooks }: WebhookServices, { path }) => ({
    data: await webhooks.call(webhookApi.readEndpoint, { path }),
  }),
});

const changeWebhookEndpointRoute = dataRoute({
  ...webhookOperation,
  operationId: 'changeWebhookEndpoint',
  summary: 'Change a webhook endpoint',
  description:
    'Absent fields stay. An endpoint that is enabled again receives later events; missed ones ' +
    'are sent by redelivery.',
  method: 'PATCH',
  template: endpointTemplate,
  input: { path: webhookEndpointPath, body: webhookEndpointChange },
  bodyExample: { state: 'disabled' },
  response: {
    status: 200,
    description: 'The endpoint as it is now.',
    data: webhookEndpoint,
    example: { ...endpointExample, state: 'disabled', disabled_reason: 'requested' },
  },
  errors: ['webhook_endpoint_not_found'],
  handle: async ({ webhooks }: WebhookServices, { path, body }) => ({
    data: await webhooks.call(webhookApi.changeEndpoint, { path, body }),
  }),
});

const deleteWebhookEndpointRoute = dataRoute({
  ...webhookOperation,
  operationId: 'deleteWebhookEndpoint',
  summary: 'Delete a webhook endpoint',
  description: 'With its deliveries. A delivery in progress may still arrive.',
  method: 'DELETE',
  template: endpointTemplate,
  input: { path: webhookEndpointPath },
  response: {
    status: 200,
    description: 'The endpoint is deleted.',
    data: deletedWebhookEndpoint,
    example: { endpoint_id: exampleIds.webhookEndpoint, deleted: true },
  },
  errors: ['webhook_endpoint_not_found'],
  handle: async ({ webhooks }: WebhookServices, { path }) => ({
    data: await webhooks.call(webhookApi.deleteEndpoint, { path }),
  }),
});

const rotateWebhookSecretRoute = dataRoute({
  ...webhookOperation,
  operationId: 'rotateWebhookSecret',
  summary: 'New secret of a webhook endpoint',
  description:
    'The replaced secret signs beside the new one for `overlap_seconds`, a day unless ' +
    'specified. While two secrets sign, a further rotation is refused unless `force` is set. With ' +
    'an `Idempotency-Key` the same request can be sent again for a day: it returns the same ' +
    'secret, which is shown in no other response.',
  method: 'POST',
  template: `${endpointTemplate}/rotate-secret`,
  input: {
    path: webhookEndpointPath,
    header: secretHeaders,
    body: webhookRotation,
  },
  bodyExample: { overlap_seconds: 3_600 },
  response: {
    status: 200,
    description: 'The endpoint with its new secret.',
    data: webhookEndpointWithSecret,
    example: {
      ...endpointExample,
      secrets: [
        { created_at: '2026-01-20T10:00:00.000Z', ends_at: null },
        { created_at: '2026-01-15T10:00:00.000Z', ends_at: '2026-01-20T11:00:00.000Z' },
      ],
      changed_at: '2026-01-20T10:00:00.000Z',
      secret: secretExample,
    },
    headers: secretResponseHeaders,
  },
  errors: ['webhook_endpoint_not_found', 'idempotency_conflict', 'secret_rotation_in_progress'],
  async handle({ webhooks }: WebhookServices, { path, header, body }) {
    const keyed = { ...body, idempotencyKey: header['Idempotency-Key'] };
    const { endpoint, headers } = await rotateWebhookSecret(webhooks, { path, body: keyed });
    return { data: endpoint, headers };
  },
});

/** Where a Project's events are sent, in the order of the reference. */
export const webhookEndpointRoutes = [
  createWebhookEndpointRoute,
  listWebhookEndpointsRoute,
  readWebhookEndpointRoute,
  changeWebhookEndpointRoute,
  deleteWebhookEndpointRoute,
  rotateWebhookSecretRoute,
];
