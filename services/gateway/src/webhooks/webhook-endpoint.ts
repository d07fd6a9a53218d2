import type { WebhookEndpointView } from '@inventory/contracts/http/webhooks';
import { exampleIds } from '../http/openapi/examples.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { WebhookClient } from './webhook-client.ts';

export interface WebhookDeps {
  readonly webhooks: WebhookClient;
  readonly cursors: CursorSealer;
}

export const webhookTag = 'Webhooks';
export const webhookPermission = 'customer.webhooks.manage.v1';
export const endpointsTemplate = '/v2/projects/{project_id}/webhook-endpoints';
export const endpointTemplate = `${endpointsTemplate}/{endpoint_id}` as const;
/** Of every operation on one endpoint. */
export const endpointErrors = ['project_not_found', 'webhook_endpoint_not_found'] as const;

export const endpointExample: WebhookEndpointView = {
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

export const secretExample = 'whsec_CkJ8yzrm6OvkcU4c0M3hSvv0j1GPVDyYw4xJ1T9yQmE=';
