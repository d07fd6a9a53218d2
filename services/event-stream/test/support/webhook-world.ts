import { randomBytes } from 'node:crypto';
import type { webhookDelivery } from '@inventory/contracts/http/webhooks';
import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type { InternalOperation } from '@inventory/contracts/internal/operations';
import { webhookApi } from '@inventory/contracts/internal/webhooks';
import { type CallInput, createInternalClient } from '@inventory/http/internal-client';
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
const operations: readonly InternalOperation[] = Object.values(webhookApi);
/** Sends any body as it is. */
const changeWith = {
  ...webhookApi.changeEndpoint,
  input: { ...webhookApi.changeEndpoint.input, body: z.unknown() },
};
const refusals = operations.flatMap((operation) => operation.refusals ?? []);

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
  /** With an input as a test has it, and every refusal as a response. */
  const call = <Operation extends InternalOperation>(operation: Operation, input: object) =>
    client.call({ ...operation, refusals }, input as CallInput<Operation['input']>) as Promise<
      z.output<Operation['response']>
    >;
  const one = (projectId: string, endpointId: string) => ({ path: { projectId, endpointId } });

  return {
    namespace,
    config,
    gateway,
    receiver,
    bus,
    client,
    create: ({ accountId, projectId }: Customer, path = '/hook', overrides: object = {}) =>
      call(webhookApi.createEndpoint, {
        path: { projectId },
        body: {
          ...{ accountId, url: `${receiver.url}${path}`, types, description: null },
          ...overrides,
        },
      }),
    read: (projectId: string, id: string) => call(webhookApi.readEndpoint, one(projectId, id)),
    list: (projectId: string) => call(webhookApi.listEndpoints, { path: { projectId } }),
    change: (projectId: string, id: string, body: object) =>
      call(changeWith, { ...one(projectId, id), body }),
    remove: (projectId: string, id: string) => call(webhookApi.deleteEndpoint, one(projectId, id)),
    rotate: (projectId: string, id: string, body: object = {}) =>
      call(webhookApi.rotateSecret, {
        ...one(projectId, id),
        body: { overlapSeconds: 86_400, force: false, ...body },
      }),
    ping: (projectId: string, id: string) => call(webhookApi.sendPing, one(projectId, id)),
    fail: (projectId: string, id: string) => call(webhookApi.failEndpoint, one(projectId, id)),
    sendSample: (projectId: string) => call(webhookApi.sendSample, { path: { projectId } }),
    eventDeliveries: (projectId: string, eventId: readonly string[]) =>
      call(webhookApi.listEventDeliveries, { path: { projectId }, query: { eventId } }),
    redeliver: (projectId: string, id: string, body: object) =>
      call(webhookApi.redeliverEvents, { ...one(projectId, id), body }),
    deliveries: (projectId: string, id: string, query: Record<string, string | number> = {}) =>
      call(webhookApi.listDeliveries, { ...one(projectId, id), query: { limit: 50, ...query } }),
    /** Publishes terminal refreshes of a Project, as the collector does; returns their ids. */
    async announce({ accountId, projectId }: Customer, times = 1): Promise<string[]> {
      const bodies = Array.from({ length: times }, () =>
        completionOf(projectId, {
          accountId,
          completedAtMs: Date.now(),
        }),
      );
      await bus.publish(
        bodies.map((body) => ({
          type: 'refresh.completed.v1',
          id: `completed:${body.refreshId}`,
          body,
        })),
      );
      return bodies.map(({ refreshId }) => refreshId);
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
  { projectId, endpointId }: { projectId: string; endpointId: string },
  reason: string,
  wanted: (delivery: z.output<typeof webhookDelivery>) => boolean,
): Promise<z.output<typeof webhookDelivery>> {
  return waitFor(reason, async () => {
    const { items } = await world.deliveries(projectId, endpointId);
    return items.find(wanted);
  });
}
