import { plainMeta } from '@inventory/contracts/http/meta';
import { idempotencyKey } from '@inventory/contracts/http/parameters';
import {
  webhookEndpointPath,
  webhookEndpointWithSecret,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { z } from 'zod';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
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
    'specified. While two secrets sign, a further rotation is refused unless `force` is set. With ' +
    'an `Idempotency-Key` the same request can be sent again for a day: it answers the same ' +
    'secret, which is shown in no other response.',
  method: 'POST',
  template: `${endpointTemplate}/rotate-secret`,
  permission: webhookPermission,
  input: {
    path: webhookEndpointPath,
    header: z.object({
      'Idempotency-Key': idempotencyKey
        .optional()
        .describe('Kept for a day: the same request again answers the same secret.'),
    }),
    body: webhookRotation,
  },
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
    headers: { 'Idempotency-Replayed': '`true` where the key had been used before.' },
  },
  errors: [...endpointErrors, 'idempotency_conflict', 'secret_rotation_in_progress'],
  async handle({ webhooks }: WebhookDeps, { path, header, body }, { requestId, principal }) {
    requireOwnProject(principal, path.project_id);
    const wanted = { ...body, key: header['Idempotency-Key'] };
    const { endpoint, replayedHeader } = await webhooks.rotateSecret(namedIn(path), wanted);
    const answer = envelope(endpoint, { request_id: requestId });
    return { status: 200, headers: replayedHeader, body: answer };
  },
});
