import {
  webhookDeliveryState,
  webhookEndpointPath,
  webhookRedelivery,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import { Refused } from '@inventory/http/refused';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { namedIn, type WebhookClient } from '../webhooks/webhook-client.ts';
import { readCursor, writeCursor } from './list-cursor.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import { listQuery, noBody, projectPath } from './operator-schemas.ts';

interface WebhookRoutesDeps {
  readonly tenancy: Pick<Tenancy, 'findProject'>;
  readonly webhooks: WebhookClient;
}

const all = '/projects/:project_id/webhook-endpoints';
const one = `${all}/:endpoint_id`;
const deliveriesQuery = listQuery.extend({ state: webhookDeliveryState.optional() });
const isPlace = (text: string) => /^[0-9]{15}\/evt_[0-9a-f-]{36}$/.test(text);

/**
 * Help with a customer's endpoints. They are made and pointed somewhere by the customer alone: a
 * URL can hold a secret, and what operators send is written down.
 */
export function webhookRoutes(options: WebhookRoutesDeps): OperatorRoute[] {
  return [...readingRoutes(options), ...changingRoutes(options), ...sendingRoutes(options)];
}

function readingRoutes({ tenancy, webhooks }: WebhookRoutesDeps): OperatorRoute[] {
  return [
    operatorRoute({
      method: 'get',
      path: all,
      parts: { path: projectPath },
      async handle({ path }) {
        const project = await tenancy.findProject(path.project_id);
        if (project === null) throw new Refused({ code: 'project_not_found' });
        return { items: await webhooks.list(project.id), next_cursor: null };
      },
    }),
    operatorRoute({
      method: 'get',
      path: one,
      parts: { path: webhookEndpointPath },
      handle: ({ path }) => webhooks.read(namedIn(path)),
    }),
    operatorRoute({
      method: 'get',
      path: `${one}/deliveries`,
      parts: { path: webhookEndpointPath, query: deliveriesQuery },
      async handle({ path, query }) {
        const { state, limit } = query;
        const before = readCursor('deliveries', query.cursor, isPlace) ?? undefined;
        const part = { state, limit, before };
        const { items, next_before } = await webhooks.deliveries(namedIn(path), part);
        return { items, next_cursor: next_before && writeCursor('deliveries', next_before) };
      },
    }),
  ];
}

function changingRoutes({ webhooks }: WebhookRoutesDeps): OperatorRoute[] {
  const parts = { path: webhookEndpointPath, body: noBody };
  const switching = (verb: 'enable' | 'disable') =>
    operatorRoute({
      method: 'post',
      path: `${one}/${verb}`,
      action: `webhook-endpoint.${verb}`,
      parts,
      handle: ({ path }) => webhooks.change(namedIn(path), { state: `${verb}d` }),
    });
  return [
    switching('enable'),
    switching('disable'),
    operatorRoute({
      method: 'delete',
      path: one,
      action: 'webhook-endpoint.delete',
      parts: { path: webhookEndpointPath },
      async handle({ path }) {
        await webhooks.remove(namedIn(path));
        return { endpoint_id: path.endpoint_id, deleted: true };
      },
    }),
    operatorRoute({
      method: 'post',
      path: `${one}/rotate-secret`,
      action: 'webhook-endpoint.rotate-secret',
      parts: { path: webhookEndpointPath, body: webhookRotation },
      handle: ({ path, body }) => webhooks.rotate(namedIn(path), body.overlap_seconds),
    }),
  ];
}

function sendingRoutes({ webhooks }: WebhookRoutesDeps): OperatorRoute[] {
  return [
    operatorRoute({
      method: 'post',
      path: `${one}/test`,
      action: 'webhook-endpoint.test',
      status: 202,
      parts: { path: webhookEndpointPath, body: noBody },
      handle: async ({ path }) => ({ event_id: await webhooks.ping(namedIn(path)) }),
    }),
    operatorRoute({
      method: 'post',
      path: `${one}/redeliver`,
      action: 'webhook-endpoint.redeliver',
      status: 202,
      parts: { path: webhookEndpointPath, body: webhookRedelivery },
      handle: ({ path, body }) => webhooks.redeliver(namedIn(path), body),
    }),
  ];
}
