import { projectPath } from '@inventory/contracts/http/parameters';
import {
  webhookDeliveriesFilter,
  webhookDelivery,
  webhookEndpoint,
  webhookEndpointPath,
  webhookEndpointState,
  webhookEndpointWithSecret,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { Reply } from '@inventory/http/reply';
import { z } from 'zod';
import { secretResponseHeaders } from '../secrets/promised-secrets.ts';
import { rotateWebhookSecret } from '../webhooks/rotate-secret.ts';
import { partsOf } from './list-by-id.ts';
import { operatorRoute, sameAs } from './operator-route.ts';
import { emptyBody, keyedHeaders, listOf, listQuery } from './operator-schemas.ts';

const tag = 'Webhooks';
const all = '/projects/{project_id}/webhook-endpoints';
const one = `${all}/{endpoint_id}`;
const errors = ['webhook_endpoint_not_found'] as const;
const changeErrors = [...errors, 'concurrent_change'] as const;

const readingRoutes = [
  operatorRoute({
    operationId: 'listWebhookEndpoints',
    command: 'webhook list',
    columns: ['endpoint_id', 'state', 'disabled_reason', 'failing_since', 'types', 'url'],
    tag,
    summary: 'Webhook endpoints of a Project',
    method: 'GET',
    path: all,
    role: 'support',
    input: { path: projectPath },
    response: listOf(webhookEndpoint),
    errors: ['project_not_found'],
    async handle({ tenancy, webhooks }, { path }) {
      await tenancy.requireProject(path.projectId);
      const { items } = await webhooks.call(webhookApi.listEndpoints, { path });
      return { items, nextCursor: null };
    },
  }),
  operatorRoute({
    ...sameAs(webhookApi.readEndpoint),
    operationId: 'readWebhookEndpoint',
    command: 'webhook show',
    tag,
    summary: 'One webhook endpoint, without its secrets',
    role: 'support',
    handle: ({ webhooks }, input) => webhooks.call(webhookApi.readEndpoint, input),
  }),
  operatorRoute({
    operationId: 'listWebhookDeliveries',
    command: 'webhook deliveries',
    columns: ['event_id', 'type', 'state', 'failure', 'attempts_total', 'next_attempt_at'],
    tag,
    summary: 'What was sent to a webhook endpoint, newest first',
    description:
      'Each attempt has the status of the response and the first KiB of its body, without the ' +
      'secrets of the endpoint.',
    method: 'GET',
    path: `${one}/deliveries`,
    role: 'support',
    input: {
      path: webhookEndpointPath,
      query: listQuery.extend(webhookDeliveriesFilter),
    },
    response: listOf(webhookDelivery),
    errors: [...errors, 'invalid_cursor'],
    async handle(services, { path, query: { cursor, ...filter } }) {
      const parts = partsOf(services, 'deliveries', path.endpointId);
      const part = { ...filter, before: parts.begin(cursor) ?? undefined };
      const input = { path, query: part };
      const found = await services.webhooks.call(webhookApi.listDeliveries, input);
      const { nextCursor } = parts.paginationTo(found.nextBefore);
      return { items: found.items, nextCursor };
    },
  }),
];

const changingRoutes = [
  operatorRoute({
    operationId: 'changeWebhookEndpoint',
    command: { 'webhook enable': { state: 'enabled' }, 'webhook disable': { state: 'disabled' } },
    tag,
    summary: 'Send nothing more to a webhook endpoint, or again from the next event on',
    method: 'PATCH',
    path: one,
    role: 'support',
    action: 'webhook-endpoint.change',
    input: {
      path: webhookEndpointPath,
      body: z.strictObject({ state: webhookEndpointState }),
    },
    response: webhookEndpoint,
    errors: changeErrors,
    handle: ({ webhooks }, input) => webhooks.call(webhookApi.changeEndpoint, input),
  }),
  operatorRoute({
    ...sameAs(webhookApi.deleteEndpoint),
    operationId: 'deleteWebhookEndpoint',
    command: 'webhook delete',
    tag,
    summary: 'Delete a webhook endpoint with its deliveries',
    role: 'support',
    action: 'webhook-endpoint.delete',
    handle: ({ webhooks }, input) => webhooks.call(webhookApi.deleteEndpoint, input),
  }),
  operatorRoute({
    operationId: 'rotateWebhookSecret',
    command: 'webhook rotate-secret',
    tag,
    summary: 'Create a new signing secret; both sign until the overlap is over',
    description:
      'While two secrets sign, a further rotation is refused unless `force` is set. The same ' +
      '`idempotency-key` again returns the same secret for a day; no other response has it.',
    method: 'POST',
    path: `${one}/rotate-secret`,
    role: 'support',
    action: 'webhook-endpoint.rotate-secret',
    input: { path: webhookEndpointPath, header: keyedHeaders, body: webhookRotation },
    response: webhookEndpointWithSecret,
    documented: { headers: secretResponseHeaders },
    errors: [...changeErrors, 'idempotency_conflict', 'secret_rotation_in_progress'],
    async handle({ webhooks }, { path, header, body }) {
      const keyed = { ...body, idempotencyKey: header['idempotency-key'] };
      const { endpoint, headers } = await rotateWebhookSecret(webhooks, { path, body: keyed });
      return new Reply({ headers, body: z.encode(webhookEndpointWithSecret, endpoint) });
    },
  }),
];

const sendingRoutes = [
  operatorRoute({
    ...sameAs(webhookApi.sendPing),
    operationId: 'testWebhookEndpoint',
    command: 'webhook test',
    tag,
    summary: 'Send a `webhook.ping` to a webhook endpoint',
    role: 'support',
    action: 'webhook-endpoint.test',
    status: 202,
    input: { path: webhookEndpointPath, body: emptyBody },
    handle: ({ webhooks }, { path }) => webhooks.call(webhookApi.sendPing, { path }),
  }),
  operatorRoute({
    ...sameAs(webhookApi.redeliverEvents),
    operationId: 'redeliverWebhookEvents',
    command: 'webhook redeliver',
    tag,
    summary: 'Send one event again, or all of a time range',
    role: 'support',
    action: 'webhook-endpoint.redeliver',
    status: 202,
    handle: ({ webhooks }, input) => webhooks.call(webhookApi.redeliverEvents, input),
  }),
];

/**
 * Support for the webhook endpoints of a customer. Only customers create them and set their URL: a
 * URL can contain a secret, and the input of operators is audited.
 */
export const operatorWebhookRoutes = [...readingRoutes, ...changingRoutes, ...sendingRoutes];
