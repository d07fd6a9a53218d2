import {
  readAccountEndpoint,
  readPricesEndpoint,
  readStatementEndpoint,
  readUsageEndpoint,
  setBalanceAlertEndpoint,
} from './accounts/account-endpoints.ts';
import type { Endpoint } from './http/endpoint.ts';
import { livePageEndpoint, readCurrentEndpoint, v1PageEndpoints } from './pages/page-endpoints.ts';
import {
  cancelRefreshEndpoint,
  listRefreshesEndpoint,
  readRefreshEndpoint,
  requestRefreshEndpoint,
  requestRefreshesEndpoint,
} from './refreshes/refresh-endpoints.ts';
import { listEventsEndpoint, streamEventsEndpoint } from './streams/event-endpoints.ts';
import {
  listWebhookDeliveries,
  redeliverWebhookEvents,
  testWebhookEndpoint,
} from './webhooks/delivery-endpoints.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from './webhooks/webhook-endpoints.ts';

/** Every operation of the public API, in the order of the reference. */
export const publicEndpoints: readonly Endpoint[] = [
  requestRefreshEndpoint,
  requestRefreshesEndpoint,
  readRefreshEndpoint,
  cancelRefreshEndpoint,
  listRefreshesEndpoint,
  readCurrentEndpoint,
  livePageEndpoint,
  streamEventsEndpoint,
  listEventsEndpoint,
  createWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  changeWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  redeliverWebhookEvents,
  readAccountEndpoint,
  readStatementEndpoint,
  readUsageEndpoint,
  setBalanceAlertEndpoint,
  readPricesEndpoint,
  v1PageEndpoints.original,
  v1PageEndpoints.alias,
];
