import { z } from 'zod';
import { idempotencyKey, projectPath } from '../http/parameters.ts';
import { watchTest } from '../http/watches.ts';
import {
  deletedWebhookEndpoint,
  newWebhookEndpoint,
  webhookEndpointPath as path,
  rotationFields,
  webhookDeliveriesQuery,
  webhookDelivery,
  webhookDeliveryState,
  webhookEndpoint,
  webhookEndpointChange,
  webhookEndpointWithSecret,
  webhookPing,
  webhookRedelivered,
  webhookRedelivery,
  webhookSecretPrefix,
  withSecretFields,
} from '../http/webhooks.ts';
import { accountId, eventId, projectId, webhookEndpointId } from '../ids.ts';
import { wire } from '../wire.ts';
import { operationsFor } from './operations.ts';

/** Query of GET /projects/{project_id}/event-deliveries. */
const eventDeliveriesQuery = wire({ eventId: z.array(eventId).min(1).max(100) });
/** The deliveries of events, to the endpoints of their Project. */
const eventDeliveries = z.object({
  items: z.array(
    wire({
      eventId,
      endpointId: webhookEndpointId,
      state: webhookDeliveryState,
    }),
  ),
});

/** All endpoints of a Project, oldest first. */
const allWebhookEndpoints = z.object({ items: z.array(webhookEndpoint) });

/**
 * Body of POST /projects/{project_id}/webhook-endpoints of the event-stream. With an id and a secret, which
 * an Idempotency-Key has, it is created once.
 */
export const newWebhookEndpointOfAccount = wire({
  ...newWebhookEndpoint.shape,
  accountId,
  endpointId: webhookEndpointId.optional(),
  secret: z.string().startsWith(webhookSecretPrefix).optional(),
});

/** Body of POST …/rotate-secret of the event-stream. */
const keyedWebhookRotation = wire({
  ...rotationFields,
  idempotencyKey: idempotencyKey.optional(),
});

/** Response of POST …/rotate-secret; `replayed` where the key was used before. */
const rotatedWebhookSecret = wire({
  ...withSecretFields,
  replayed: z.boolean().default(false),
});

/** Query of GET …/deliveries of the event-stream; `before` is the position of the last one seen. */
const internalDeliveriesQuery = webhookDeliveriesQuery
  .omit({ cursor: true })
  .extend({ before: z.string().max(100).optional() });

/** Deliveries, the newest first; `nextBefore` is null on the last page. */
const internalDeliveryPage = wire({
  items: z.array(webhookDelivery),
  nextBefore: z.string().nullable(),
});

/** Response of GET /internal/projects/{project_id}/event-access of the gateway. */
const projectEventAccess = wire({
  projectId,
  /** Project and account are active, and the account has events. */
  events: z.boolean(),
});

/** Query of GET /internal/accounts/{account_id}/event-projects: Projects after this one. */
const eventProjectsQuery = z.object({ after: projectId.optional() });

/** Projects of an account whose events are enabled, in pages; `next_after` is null on the last. */
const eventProjects = wire({
  projectIds: z.array(projectId),
  nextAfter: projectId.nullable(),
});

const endpoints = '/projects/{project_id}/webhook-endpoints';
const endpoint = `${endpoints}/{endpoint_id}` as const;
const notFound = 'webhook_endpoint_not_found';
const changeRefusals = [notFound, 'concurrent_change'] as const;
const { get, put, post, remove } = operationsFor(['gateway']);

/** The event-stream's internal API of webhooks. */
export const webhookApi = {
  createEndpoint: post(endpoints, {
    input: { path: projectPath, body: newWebhookEndpointOfAccount },
    status: 201,
    response: webhookEndpointWithSecret,
    refusals: ['webhook_endpoint_limit_reached', 'invalid_request'],
  }),
  listEndpoints: get(endpoints, { input: { path: projectPath }, response: allWebhookEndpoints }),
  readEndpoint: get(endpoint, { input: { path }, response: webhookEndpoint, refusals: [notFound] }),
  changeEndpoint: put(endpoint, {
    input: { path, body: webhookEndpointChange },
    response: webhookEndpoint,
    refusals: [...changeRefusals, 'invalid_request'],
  }),
  deleteEndpoint: remove(endpoint, {
    input: { path },
    response: deletedWebhookEndpoint,
    refusals: [notFound],
  }),
  rotateSecret: post(`${endpoint}/rotate-secret`, {
    input: { path, body: keyedWebhookRotation },
    response: rotatedWebhookSecret,
    refusals: [...changeRefusals, 'idempotency_conflict', 'secret_rotation_in_progress'],
  }),
  /** Disables it as one that has failed for too long. */
  failEndpoint: post(`${endpoint}/fail`, {
    input: { path },
    response: webhookEndpoint,
    refusals: changeRefusals,
  }),
  sendPing: post(`${endpoint}/test`, {
    input: { path },
    response: webhookPing,
    refusals: [notFound],
  }),
  listDeliveries: get(`${endpoint}/deliveries`, {
    input: { path, query: internalDeliveriesQuery },
    response: internalDeliveryPage,
    refusals: [notFound],
  }),
  redeliverEvents: post(`${endpoint}/redeliver`, {
    input: { path, body: webhookRedelivery },
    response: webhookRedelivered,
    refusals: [notFound, 'event_not_found'],
  }),
  /** Sends a signed sample of a completed refresh to the endpoints that subscribe to it. */
  sendSample: post('/projects/{project_id}/sample-event', {
    input: { path: projectPath },
    status: 201,
    response: watchTest,
  }),
  listEventDeliveries: get('/projects/{project_id}/event-deliveries', {
    input: { path: projectPath, query: eventDeliveriesQuery },
    response: eventDeliveries,
  }),
};

const forEvents = operationsFor(['event-stream']);

/** What the event-stream reads of Projects, from the gateway. */
export const eventAccessApi = {
  readEventAccess: forEvents.get('/internal/projects/{project_id}/event-access', {
    input: { path: projectPath },
    response: projectEventAccess,
    refusals: ['project_not_found'],
  }),
  listEventProjects: forEvents.get('/internal/accounts/{account_id}/event-projects', {
    input: { path: wire({ accountId }), query: eventProjectsQuery },
    response: eventProjects,
  }),
};
