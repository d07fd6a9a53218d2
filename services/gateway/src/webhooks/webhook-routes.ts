import { changeWebhookEndpointRoute } from './change-webhook-endpoint-route.ts';
import { createWebhookEndpointRoute } from './create-webhook-endpoint-route.ts';
import { deleteWebhookEndpointRoute } from './delete-webhook-endpoint-route.ts';
import { listWebhookDeliveriesRoute } from './list-webhook-deliveries-route.ts';
import { listWebhookEndpointsRoute } from './list-webhook-endpoints-route.ts';
import { readWebhookEndpointRoute } from './read-webhook-endpoint-route.ts';
import { redeliverWebhookEventsRoute } from './redeliver-webhook-events-route.ts';
import { rotateWebhookSecretRoute } from './rotate-webhook-secret-route.ts';
import { testWebhookEndpointRoute } from './test-webhook-endpoint-route.ts';

/** Where a Project's events are sent, in the order of the reference. */
export const webhookRoutes = [
  createWebhookEndpointRoute,
  listWebhookEndpointsRoute,
  readWebhookEndpointRoute,
  changeWebhookEndpointRoute,
  deleteWebhookEndpointRoute,
  rotateWebhookSecretRoute,
  testWebhookEndpointRoute,
  listWebhookDeliveriesRoute,
  redeliverWebhookEventsRoute,
];
