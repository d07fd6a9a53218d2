import { z } from 'zod';
import { idempotencyKey } from '../http/parameters.ts';
import {
  newWebhookEndpoint,
  webhookDeliveriesQuery,
  webhookDelivery,
  webhookEndpointList,
  webhookEndpointWithSecret,
  webhookRotation,
} from '../http/webhooks.ts';
import { accountId, eventId, projectId, webhookEndpointId } from '../ids.ts';
import type { RefusalCode } from '../refusal.ts';

const endpoints = '/projects/{project_id}/webhook-endpoints';
const endpoint = `${endpoints}/{endpoint_id}` as const;

/** Paths of the event-stream's internal API of webhooks. */
export const webhookPaths = {
  endpoints,
  endpoint,
  rotateSecret: `${endpoint}/rotate-secret`,
  test: `${endpoint}/test`,
  deliveries: `${endpoint}/deliveries`,
  redeliver: `${endpoint}/redeliver`,
} as const;

/** Path of the sample of a completed refresh, in the event-stream's internal API. */
export const samplePath = '/projects/{project_id}/sample-event';
/** Path of {@link eventDeliveries} in the event-stream's internal API. */
export const eventDeliveriesPath = '/projects/{project_id}/event-deliveries';

/** Query of GET /projects/{project_id}/event-deliveries. */
export const eventDeliveriesQuery = z.object({ event_id: z.array(eventId).min(1).max(100) });
/** The deliveries of events, to the endpoints of their Project. */
export const eventDeliveries = z.object({
  items: z.array(
    z.object({
      event_id: eventId,
      endpoint_id: webhookEndpointId,
      state: webhookDelivery.shape.state,
    }),
  ),
});

/** Path of {@link projectStanding} in the gateway's internal API. */
export const standingPath = '/internal/projects/{project_id}/standing';

/** Path of {@link eventProjects} in the gateway's internal API. */
export const eventProjectsPath = '/internal/accounts/{account_id}/event-projects';

/** What the event-stream refuses as the answer to a customer or an operator. */
export const webhookRefusals = [
  'webhook_endpoint_not_found',
  'webhook_endpoint_limit_reached',
  'event_not_found',
  'concurrent_change',
  'idempotency_conflict',
  'secret_rotation_in_progress',
  'invalid_request',
] as const satisfies readonly RefusalCode[];

/** All endpoints of a Project, oldest first. */
export const allWebhookEndpoints = webhookEndpointList.omit({ pagination: true });

/** Body of POST /projects/{project_id}/webhook-endpoints of the event-stream. */
export const newWebhookEndpointOfAccount = newWebhookEndpoint.extend({ account_id: accountId });

/** Body of POST …/rotate-secret of the event-stream. */
export const keyedWebhookRotation = webhookRotation.extend({
  idempotency_key: idempotencyKey.optional(),
});

/** Answer of POST …/rotate-secret; `replayed` where the key was used before. */
export const rotatedWebhookSecret = webhookEndpointWithSecret.extend({
  replayed: z.boolean().default(false),
});

/** Query of GET …/deliveries of the event-stream; `before` is the place of the last one seen. */
export const internalDeliveriesQuery = webhookDeliveriesQuery
  .omit({ cursor: true })
  .extend({ before: z.string().max(100).optional() });

/** Deliveries, the newest first; `next_before` is null on the last page. */
export const internalDeliveryPage = z.object({
  items: z.array(webhookDelivery),
  next_before: z.string().nullable(),
});
export type InternalDeliveryPage = z.infer<typeof internalDeliveryPage>;

/** Answer of GET /internal/projects/{project_id}/standing of the gateway. */
export const projectStanding = z.object({
  project_id: projectId,
  /** Project and account are active, and the account has events. */
  events: z.boolean(),
});

/** Query of GET /internal/accounts/{account_id}/event-projects: Projects after this one. */
export const eventProjectsQuery = z.object({ after: projectId.optional() });

/** Projects of an account whose events are enabled, in parts; `next_after` is null on the last. */
export const eventProjects = z.object({
  project_ids: z.array(projectId),
  next_after: projectId.nullable(),
});
