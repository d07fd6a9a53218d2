import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { healthy } from '../../src/webhooks/endpoint-health.domain.ts';
import type { WebhookEndpoint } from '../../src/webhooks/webhook-document.ts';

/** An enabled endpoint that was created at time 0 and has not been sent anything. */
export function endpointWith(overrides: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  const projectId = overrides.projectId ?? newProjectId();
  return {
    _id: `${projectId}/0`,
    endpointId: `whe_${newRefreshId()}`,
    projectId,
    accountId: newAccountId(),
    url: 'https://example.com/',
    description: null,
    types: ['inventory.refresh.completed'],
    state: 'enabled',
    disabledReason: null,
    secrets: [],
    rotations: [],
    nextPosition: 1,
    health: healthy,
    healthVersion: 1,
    pace: 'new',
    lateSinceMs: null,
    isRemoved: false,
    version: 1,
    createdAtMs: 0,
    changedAtMs: 0,
    ...overrides,
  };
}
