import { projectPath } from '@inventory/contracts/http/parameters';
import {
  webhookEndpointChange,
  webhookEndpointPath,
  webhookRedelivery,
  webhookRotation,
} from '@inventory/contracts/http/webhooks';
import {
  internalDeliveriesQuery,
  newWebhookEndpointOfAccount,
} from '@inventory/contracts/internal/webhooks';
import { readJson } from '@inventory/http/read-body';
import { Refused } from '@inventory/http/refused';
import { fromIsoTime } from '@inventory/runtime/clock';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { Webhooks } from '../open-webhooks.ts';
import {
  toWireDelivery,
  toWireEndpoint,
  toWireRedelivered,
  toWireWithSecret,
} from './convert-webhooks.ts';

const all = '/projects/:project_id/webhook-endpoints';
const one = `${all}/:endpoint_id`;

/** What the gateway asks for customers and operators. */
export function addWebhookRoutes(router: Router, webhooks: Webhooks): void {
  addEndpointRoutes(router, webhooks);
  addDeliveryRoutes(router, webhooks);
}

function addEndpointRoutes(router: Router, webhooks: Webhooks): void {
  router.post(all, async (context) => {
    const { project_id: projectId } = projectPath.parse(context.params);
    const body = newWebhookEndpointOfAccount.parse(await readJson(context.req));
    const { account_id: accountId, ...wanted } = body;
    const created = await webhooks.create({ projectId, accountId, ...wanted });
    context.status = 201;
    context.body = toWireWithSecret(created);
  });
  router.get(all, async (context) => {
    const { project_id: projectId } = projectPath.parse(context.params);
    context.body = { items: (await webhooks.list(projectId)).map(toWireEndpoint) };
  });
  router.get(one, async (context) => {
    context.body = toWireEndpoint(await endpointOf(context, webhooks));
  });
  router.put(one, async (context) => {
    const change = webhookEndpointChange.parse(await readJson(context.req));
    context.body = toWireEndpoint(await webhooks.change(namedIn(context), change));
  });
  router.delete(one, async (context) => {
    const { projectId, endpointId } = namedIn(context);
    if (!(await webhooks.remove(projectId, endpointId))) throw notFound();
    context.body = { endpoint_id: endpointId, deleted: true };
  });
  router.post(`${one}/rotate-secret`, async (context) => {
    const { overlap_seconds: overlapS } = webhookRotation.parse(await readJson(context.req));
    const changed = await webhooks.rotate(namedIn(context), overlapS * 1_000);
    context.body = toWireWithSecret(changed);
  });
}

function addDeliveryRoutes(router: Router, webhooks: Webhooks): void {
  router.post(`${one}/test`, async (context) => {
    context.body = { event_id: await webhooks.ping(await endpointOf(context, webhooks)) };
  });
  router.get(`${one}/deliveries`, async (context) => {
    const query = internalDeliveriesQuery.parse(context.query);
    const endpoint = await endpointOf(context, webhooks);
    const { limit } = query;
    const found = await webhooks.deliveries(endpoint.id, { ...query, limit: limit + 1 });
    const shown = found.slice(0, limit);
    context.body = {
      items: shown.map(({ delivery }) => toWireDelivery(delivery)),
      next_before: found.length > limit ? (shown.at(-1)?.place ?? null) : null,
    };
  });
  router.post(`${one}/redeliver`, async (context) => {
    const wanted = webhookRedelivery.parse(await readJson(context.req));
    const endpoint = await endpointOf(context, webhooks);
    const done =
      'event_id' in wanted
        ? await webhooks.redeliverEvent(endpoint, wanted.event_id)
        : await webhooks.redeliverRange(endpoint, {
            sinceMs: fromIsoTime(wanted.since),
            untilMs: wanted.until === undefined ? null : fromIsoTime(wanted.until),
          });
    context.body = toWireRedelivered(done);
  });
}

function namedIn(context: Pick<Context, 'params'>) {
  const path = webhookEndpointPath.parse(context['params']);
  return { projectId: path.project_id, endpointId: path.endpoint_id };
}

async function endpointOf(
  context: Pick<Context, 'params'>,
  webhooks: Pick<Webhooks, 'find'>,
): Promise<WebhookEndpoint> {
  const { projectId, endpointId } = namedIn(context);
  const endpoint = await webhooks.find(projectId, endpointId);
  if (endpoint === null) throw notFound();
  return endpoint;
}

const notFound = () => new Refused({ code: 'webhook_endpoint_not_found' });
