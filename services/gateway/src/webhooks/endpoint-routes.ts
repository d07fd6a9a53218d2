import { envelope } from '../http/envelope.ts';
import { requireEvents, requireOwnProject } from '../http/project-access.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { namedIn, type WebhookClient } from './webhook-client.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from './webhook-endpoints.ts';

/** …/webhook-endpoints: where a Project's events are sent. */
export function webhookEndpointRoutes(webhooks: WebhookClient): Route[] {
  return [
    defineRoute({
      ...createWebhookEndpoint,
      async handle({ requestId, authority }, { path, body }) {
        requireOwnProject(authority, path.project_id);
        requireEvents(authority);
        const created = await webhooks.create(authority, body);
        return { status: 201, body: envelope(created, { request_id: requestId }) };
      },
    }),
    defineRoute({
      ...listWebhookEndpoints,
      async handle({ requestId, authority }, { path }) {
        requireOwnProject(authority, path.project_id);
        const items = await webhooks.list(authority.projectId);
        return { status: 200, body: envelope({ items }, { request_id: requestId }) };
      },
    }),
    defineRoute({
      ...readWebhookEndpoint,
      async handle({ requestId, authority }, { path }) {
        requireOwnProject(authority, path.project_id);
        const found = await webhooks.read(namedIn(path));
        return { status: 200, body: envelope(found, { request_id: requestId }) };
      },
    }),
    ...changingRoutes(webhooks),
  ];
}

function changingRoutes(webhooks: WebhookClient): Route[] {
  return [
    defineRoute({
      ...changeWebhookEndpoint,
      async handle({ requestId, authority }, { path, body }) {
        requireOwnProject(authority, path.project_id);
        const changed = await webhooks.change(namedIn(path), body);
        return { status: 200, body: envelope(changed, { request_id: requestId }) };
      },
    }),
    defineRoute({
      ...deleteWebhookEndpoint,
      async handle({ requestId, authority }, { path }) {
        requireOwnProject(authority, path.project_id);
        await webhooks.remove(namedIn(path));
        const gone = { endpoint_id: path.endpoint_id, deleted: true } as const;
        return { status: 200, body: envelope(gone, { request_id: requestId }) };
      },
    }),
    defineRoute({
      ...rotateWebhookSecret,
      async handle({ requestId, authority }, { path, body }) {
        requireOwnProject(authority, path.project_id);
        const rotated = await webhooks.rotate(namedIn(path), body.overlap_seconds);
        return { status: 200, body: envelope(rotated, { request_id: requestId }) };
      },
    }),
  ];
}
