import type { Endpoint } from '../endpoint.ts';
import {
  readAccountEndpoint,
  readPricesEndpoint,
  readStatementEndpoint,
  readUsageEndpoint,
  setBalanceAlertEndpoint,
} from './account-endpoints.ts';
import {
  listWebhookDeliveries,
  redeliverWebhookEvents,
  testWebhookEndpoint,
} from './delivery-endpoints.ts';
import { listEventsEndpoint, streamEventsEndpoint } from './event-endpoints.ts';
import { livePageEndpoint, readCurrentEndpoint, v1PageEndpoints } from './page-endpoints.ts';
import {
  cancelRefreshEndpoint,
  listRefreshesEndpoint,
  readRefreshEndpoint,
  requestRefreshEndpoint,
  requestRefreshesEndpoint,
} from './refresh-endpoints.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from './webhook-endpoints.ts';

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
