import {
  listWebhookDeliveriesRoute,
  redeliverWebhookEventsRoute,
  testWebhookEndpointRoute,
} from './delivery-routes.ts';
import {
  changeWebhookEndpointRoute,
  createWebhookEndpointRoute,
  deleteWebhookEndpointRoute,
  listWebhookEndpointsRoute,
  readWebhookEndpointRoute,
  rotateWebhookSecretRoute,
} from './endpoint-routes.ts';

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
