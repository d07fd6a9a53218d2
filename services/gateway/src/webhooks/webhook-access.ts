import { webhookEndpointsMax } from '@inventory/contracts/http/webhooks';
import type { ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { type Refusal, refuse, refuseForNow } from '../http/refusal.ts';
import { type NamedEndpoint, WebhookRefused } from './webhook-client.ts';

const retryAfterSeconds = 1;

export function namedIn(path: {
  readonly project_id: ProjectId;
  readonly endpoint_id: WebhookEndpointId;
}): NamedEndpoint {
  return { projectId: path.project_id, endpointId: path.endpoint_id };
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
