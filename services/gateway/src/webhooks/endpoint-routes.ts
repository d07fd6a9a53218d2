import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import {
  deletedWebhookEndpoint,
  newWebhookEndpoint,
  type WebhookEndpointView,
  webhookEndpoint,
  webhookEndpointChange,
  webhookEndpointList,
  webhookEndpointPath,
  webhookEndpointWithSecret,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/envelope.ts';
import { exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { requireEvents, requireOwnProject } from '../http/project-access.ts';
import { publicRoute } from '../http/public-route.ts';
import { namedIn, type WebhookClient } from './webhook-client.ts';

export interface EndpointRoutesDeps {
  readonly webhooks: WebhookClient;
}

const tag = 'Webhooks';
const permission = 'customer.webhooks.manage.v1';
const all = '/v2/projects/{project_id}/webhook-endpoints';
const one = `${all}/{endpoint_id}`;
const notFound = ['project_not_found', 'webhook_endpoint_not_found'] as const;

const endpointExample: WebhookEndpointView = {
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
const secret = 'whsec_CkJ8yzrm6OvkcU4c0M3hSvv0j1GPVDyYw4xJ1T9yQmE=';
const meta = plainMetaExample;

/** Where a Project's events are sent. */
export const endpointRoutes = [
  publicRoute({
    operationId: 'createWebhookEndpoint',
    tag,
    summary: 'New webhook endpoint',
    description:
      'Sends the events of these types to the URL from now on, signed by the Standard Webhooks ' +
      'scheme with the `secret`, which is shown in this answer only. The URL must be https and lead ' +
      'to public addresses. A Project can have ten endpoints.',
    method: 'POST',
    template: all,
    permission,
    input: { path: projectPath, body: newWebhookEndpoint },
    bodyExample: { url: endpointExample.url, types: endpointExample.types },
    answer: {
      status: 201,
      description: 'The endpoint with its secret.',
      body: { data: webhookEndpointWithSecret, meta: plainMeta },
      example: { success: true, data: { ...endpointExample, secret }, meta },
    },
    errors: ['project_not_found', 'webhook_endpoint_limit_reached'],
    async handle({ webhooks }: EndpointRoutesDeps, { path, body }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      requireEvents(authority);
      const created = await webhooks.create(authority, body);
      return { status: 201, body: envelope(created, { request_id: requestId }) };
    },
  }),
  publicRoute({
    operationId: 'listWebhookEndpoints',
    tag,
    summary: 'Webhook endpoints',
    description: 'All endpoints of the Project, oldest first.',
    method: 'GET',
    template: all,
    permission,
    input: { path: projectPath },
    answer: {
      status: 200,
      description: 'The endpoints.',
      body: { data: webhookEndpointList, meta: plainMeta },
      example: { success: true, data: { items: [endpointExample] }, meta },
    },
    errors: ['project_not_found'],
    async handle({ webhooks }: EndpointRoutesDeps, { path }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      const items = await webhooks.list(authority.projectId);
      return { status: 200, body: envelope({ items }, { request_id: requestId }) };
    },
  }),
  publicRoute({
    operationId: 'readWebhookEndpoint',
    tag,
    summary: 'Webhook endpoint',
    description: 'One endpoint, without its secrets.',
    method: 'GET',
    template: one,
    permission,
    input: { path: webhookEndpointPath },
    answer: {
      status: 200,
      description: 'The endpoint.',
      body: { data: webhookEndpoint, meta: plainMeta },
      example: { success: true, data: endpointExample, meta },
    },
    errors: notFound,
    async handle({ webhooks }: EndpointRoutesDeps, { path }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      const found = await webhooks.read(namedIn(path));
      return { status: 200, body: envelope(found, { request_id: requestId }) };
    },
  }),
  publicRoute({
    operationId: 'changeWebhookEndpoint',
    tag,
    summary: 'Change a webhook endpoint',
    description:
      'What is absent stays. Enabled again, an endpoint is sent what comes next; what it missed is ' +
      'sent by redelivery.',
    method: 'PATCH',
    template: one,
    permission,
    input: { path: webhookEndpointPath, body: webhookEndpointChange },
    bodyExample: { state: 'disabled' },
    answer: {
      status: 200,
      description: 'The endpoint as it is now.',
      body: { data: webhookEndpoint, meta: plainMeta },
      example: {
        success: true,
        data: { ...endpointExample, state: 'disabled', disabled_reason: 'requested' },
        meta,
      },
    },
    errors: notFound,
    async handle({ webhooks }: EndpointRoutesDeps, { path, body }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      const changed = await webhooks.change(namedIn(path), body);
      return { status: 200, body: envelope(changed, { request_id: requestId }) };
    },
  }),
  publicRoute({
    operationId: 'deleteWebhookEndpoint',
    tag,
    summary: 'Delete a webhook endpoint',
    description: 'With its deliveries. What is under way may still arrive.',
    method: 'DELETE',
    template: one,
    permission,
    input: { path: webhookEndpointPath },
    answer: {
      status: 200,
      description: 'It is gone.',
      body: { data: deletedWebhookEndpoint, meta: plainMeta },
      example: {
        success: true,
        data: { endpoint_id: exampleIds.webhookEndpoint, deleted: true },
        meta,
      },
    },
    errors: notFound,
    async handle({ webhooks }: EndpointRoutesDeps, { path }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      await webhooks.remove(namedIn(path));
      const gone = { endpoint_id: path.endpoint_id, deleted: true } as const;
      return { status: 200, body: envelope(gone, { request_id: requestId }) };
    },
  }),
  publicRoute({
    operationId: 'rotateWebhookSecret',
    tag,
    summary: 'New secret of a webhook endpoint',
    description:
      'The present secret signs beside the new one for `overlap_seconds`, a day unless told ' +
      'otherwise. The new one is shown in this answer only.',
    method: 'POST',
    template: `${one}/rotate-secret`,
    permission,
    input: { path: webhookEndpointPath, body: webhookRotation },
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
          secret,
        },
        meta,
      },
    },
    errors: notFound,
    async handle({ webhooks }: EndpointRoutesDeps, { path, body }, { requestId, authority }) {
      requireOwnProject(authority, path.project_id);
      const rotated = await webhooks.rotate(namedIn(path), body.overlap_seconds);
      return { status: 200, body: envelope(rotated, { request_id: requestId }) };
    },
  }),
];
