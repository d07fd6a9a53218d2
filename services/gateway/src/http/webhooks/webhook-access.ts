import { webhookEndpointsMax } from '@inventory/contracts/http/webhooks';
import type { ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { type NamedEndpoint, WebhookRefused } from '../../clients/webhook-client.ts';
import type { Authority } from '../../domain/authority.ts';
import { type Refusal, refuse, refuseForNow } from '../refusal.ts';

const retryAfterSeconds = 1;

/** A Credential manages the endpoints of its own Project. */
export function requireOwnProject(authority: Authority, projectId: ProjectId): void {
  if (projectId !== authority.projectId) throw refuse('project_not_found');
}

export function namedIn(path: {
  readonly project_id: ProjectId;
  readonly endpoint_id: WebhookEndpointId;
}): NamedEndpoint {
  return { projectId: path.project_id, endpointId: path.endpoint_id };
}

/** What sends something needs events; whoever lost them can still look and tidy up. */
export function requireEvents({ eventsEnabled }: Authority): void {
  if (!eventsEnabled) {
    throw refuse('permission_denied', { detail: { reason: 'events_not_enabled' } });
  }
}

/** Answers the refusals of the owner of endpoints with the codes of the public API. */
export async function refusing<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof WebhookRefused ? toPublic(error) : error;
  }
}

function toPublic({ code, reason }: WebhookRefused): Refusal {
  switch (code) {
    case 'endpoint_not_found':
      return refuse('webhook_endpoint_not_found');
    case 'event_not_found':
      return refuse('event_not_found');
    case 'endpoint_limit_reached':
      return refuse('webhook_endpoint_limit_reached', { detail: { limit: webhookEndpointsMax } });
    case 'invalid_url':
      return refuse('invalid_request', {
        detail: { issues: [{ in: 'body', field: 'url', reason }] },
      });
    case 'concurrent_change':
      return refuseForNow('service_unavailable', retryAfterSeconds);
  }
}
