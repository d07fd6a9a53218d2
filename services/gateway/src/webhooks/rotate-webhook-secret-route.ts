import { plainMeta } from '@inventory/contracts/http/meta';
import {
  webhookEndpointPath,
  webhookEndpointWithSecret,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { envelope } from '../http/envelope.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { requireOwnProject } from '../http/project-access.ts';
import { publicRoute } from '../http/public-route.ts';
import { namedIn } from './webhook-client.ts';
import {
  endpointErrors,
  endpointExample,
  endpointTemplate,
  secretExample,
  type WebhookDeps,
  webhookPermission,
  webhookTag,
} from './webhook-endpoint.ts';

/** POST …/{endpoint_id}/rotate-secret: the replaced secret overlaps with the new one. */
export const rotateWebhookSecretRoute = publicRoute({
  operationId: 'rotateWebhookSecret',
  tag: webhookTag,
  summary: 'New secret of a webhook endpoint',
  description:
    'The replaced secret signs beside the new one for `overlap_seconds`, a day unless ' +
    'specified. The new one is shown in this response only.',
  method: 'POST',
  template: `${endpointTemplate}/rotate-secret`,
  permission: webhookPermission,
  input: { path: webhookEndpointPath, body: webhookRotation },
  bodyExample: { overlap_seconds: 3_600 },
  answer: {
    status: 200,
    description: 'The endpoint with its new secret.',
    body: { data: webhookEndpointWithSecret, meta: plainMeta },
    example: {
      success: true,
      data: {
        ...endpointExample,
        secrets: [
          { created_at: '2026-01-20T10:00:00.000Z', ends_at: null },
          { created_at: '2026-01-15T10:00:00.000Z', ends_at: '2026-01-20T11:00:00.000Z' },
        ],
        changed_at: '2026-01-20T10:00:00.000Z',
        secret: secretExample,
      },
      meta: plainMetaExample,
    },
  },
  errors: endpointErrors,
  async handle({ webhooks }: WebhookDeps, { path, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const rotated = await webhooks.rotateSecret(namedIn(path), body.overlap_seconds);
    return { status: 200, body: envelope(rotated, { request_id: requestId }) };
  },
});
