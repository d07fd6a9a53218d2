import { randomBytes } from 'node:crypto';
import { watchTest } from '@inventory/contracts/http/watches';
import {
  type WebhookDeliveryView,
  type webhookDelivery,
  webhookEndpoint,
  webhookEndpointWithSecret,
  webhookPing,
  webhookRedelivered,
} from '@inventory/contracts/http/webhooks';
import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import {
  allWebhookEndpoints,
  eventDeliveries,
  eventDeliveriesPath,
  internalDeliveryPage,
  rotatedWebhookSecret,
  samplePath,
  webhookRefusals,
} from '@inventory/contracts/internal/webhooks';
import { createInternalClient, type InternalCall } from '@inventory/http/internal-client';
import { pathOf as pathIn } from '@inventory/http/path-of';
import type { Clock } from '@inventory/runtime/clock';
import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { openNamespace } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { z } from 'zod';
import { startEventStream } from '../../src/start-event-stream.ts';
import type { WebhookConfig } from '../../src/webhooks/webhook-config.ts';
import { completionOf } from './completions.ts';
import { startGatewayStub, startReceiver } from './http-receiver.ts';
import { testConfig } from './test-config.ts';

export interface Customer {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
}

export const newCustomer = (): Customer => ({
  accountId: newAccountId(),
  projectId: newProjectId(),
});

export type WebhookWorld = Awaited<ReturnType<typeof openWebhookWorld>>;

const types = ['inventory.refresh.completed'] as const;
const deleted = z.object({ deleted: z.literal(true) });

/** An event-stream with a gateway stub and a receiver, in this process. */
export async function openWebhookWorld(webhooks: Partial<WebhookConfig> = {}, clock?: Clock) {
  const namespace = await openNamespace();
  const [gateway, receiver, bus] = await Promise.all([
    startGatewayStub(),
    startReceiver(),
    openTestBus(namespace),
  ]);
  const secretKeys = [randomBytes(32).toString('base64url')];
  const config = testConfig(namespace, {
    gatewayUrl: gateway.url,
    webhooks: { secretKeys, ...webhooks },
  });
  const start = startEventStream;
  const service = await startTestService({ config, start, ...(clock ? { clock } : {}) });
  const client = createInternalClient({
    baseUrl: service.url,
    service: 'event-stream',
    serviceToken: undefined,
    timeoutMs: 600_000,
  });
  const pathOf = (projectId: string, endpointId?: string, rest = '') =>
    `/projects/${projectId}/webhook-endpoints${endpointId ? `/${endpointId}` : ''}${rest}`;
  const ask = <Schema extends z.ZodType>(schema: Schema, call: InternalCall) =>
    client.json(schema, { ...call, refusals: webhookRefusals });
  const post = <Schema extends z.ZodType>(schema: Schema, path: string, body: unknown = {}) =>
    ask(schema, { method: 'POST', path, body });

  return {
    namespace,
    config,
    gateway,
    receiver,
    bus,
    client,
    pathOf,
    create: ({ accountId, projectId }: Customer, path = '/hook', overrides: object = {}) =>
      post(webhookEndpointWithSecret, pathOf(projectId), {
        account_id: accountId,
        url: `${receiver.url}${path}`,
        types,
        ...overrides,
      }),
    read: (projectId: string, id: string) =>
      ask(webhookEndpoint, { method: 'GET', path: pathOf(projectId, id) }),
    list: (projectId: string) =>
      ask(allWebhookEndpoints, { method: 'GET', path: pathOf(projectId) }),
    change: (projectId: string, id: string, body: object) =>
      ask(webhookEndpoint, { method: 'PUT', path: pathOf(projectId, id), body }),
    remove: (projectId: string, id: string) =>
      ask(deleted, { method: 'DELETE', path: pathOf(projectId, id) }),
    rotate: (projectId: string, id: string, body: object = {}) =>
      post(rotatedWebhookSecret, pathOf(projectId, id, '/rotate-secret'), body),
    ping: (projectId: string, id: string) => post(webhookPing, pathOf(projectId, id, '/test')),
    sendSample: (project_id: string) => post(watchTest, pathIn(samplePath, { project_id })),
    eventDeliveries: (project_id: string, events: readonly string[]) =>
      ask(eventDeliveries, {
        method: 'GET',
        path: pathIn(eventDeliveriesPath, { project_id }),
        query: { event_id: events },
      }),
    redeliver: (projectId: string, id: string, body: object) =>
      post(webhookRedelivered, pathOf(projectId, id, '/redeliver'), body),
    deliveries: (projectId: string, id: string, query: Record<string, string | number> = {}) =>
      ask(internalDeliveryPage, {
        method: 'GET',
        path: pathOf(projectId, id, '/deliveries'),
        query,
      }),
    /** Publishes terminal refreshes of a Project, as the collector does; returns their ids. */
    async announce({ accountId, projectId }: Customer, times = 1): Promise<string[]> {
      const bodies = Array.from({ length: times }, () =>
        completionOf(projectId, {
          account_id: accountId,
          completed_at: new Date().toISOString(),
        }),
      );
      await bus.publish(
        bodies.map((body) => ({
          type: 'refresh.completed.v1',
          id: `completed:${body.refresh_id}`,
          body,
        })),
      );
      return bodies.map(({ refresh_id }) => refresh_id);
    },
    async close(): Promise<void> {
      await client.close();
      await service.stop();
      await bus.close();
      await Promise.all([receiver.close(), gateway.close()]);
    },
  };
}

/** Waits until a delivery of the endpoint is as wanted. */
export function deliveryWhen(
  world: Pick<WebhookWorld, 'deliveries'>,
  { project_id, endpoint_id }: { project_id: string; endpoint_id: string },
  reason: string,
  wanted: (delivery: WebhookDeliveryView) => boolean,
): Promise<z.infer<typeof webhookDelivery>> {
  return waitFor(reason, async () => {
    const { items } = await world.deliveries(project_id, endpoint_id);
    return items.find(wanted);
  });
}
