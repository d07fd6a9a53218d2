import type { WebhookEndpointId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from '../config.ts';
import type { GatewayClient } from '../log/gateway-client.ts';
import type { ProjectLog } from '../log/project-log-store.ts';
import { type AttemptDelivery, createAttemptDelivery } from './attempt-delivery.ts';
import type { DeliveryRun } from './delivery-run.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { createEndpointStore, type OfEndpoints } from './endpoint-store.ts';
import { createProjectEventAccess, type ProjectEventAccess } from './event-access.ts';
import { createHostResolver } from './guarded-lookup.ts';
import { openWebhookCollections } from './webhook-document.ts';
import { createWebhookSender } from './webhook-sender.ts';

type Context = ServiceContext<EventStreamConfig>;

interface WebhooksNeeds {
  readonly db: Db;
  readonly bus: MessageBus;
  readonly log: ProjectLog;
  readonly gateway: GatewayClient;
}

/** What webhooks are managed and sent with: routes, delivery runs and tests take it whole. */
export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;

/** Opens webhooks: their stores, the access of Projects, and what makes endpoints due. */
export async function openWebhooks(context: Context, { db, bus, log, gateway }: WebhooksNeeds) {
  const { clock, config, identifiers, lifetime, logger } = context;
  const { allowPrivate, health, limits, secretKeys } = config.webhooks;
  const collections = openWebhookCollections(db);
  const sealer = createTextSealer(secretKeys);
  const endpoints = createEndpointStore(collections.endpoints, sealer, logger);
  const running = new Map<WebhookEndpointId, DeliveryRun>();
  const listeners: (() => void)[] = [];

  /** Begins runs on this replica. */
  function noteDue(): void {
    for (const listener of listeners) listener();
  }

  async function makeDue(of: OfEndpoints): Promise<void> {
    if (await endpoints.makeDue(of, clock.now())) noteDue();
  }

  return {
    log,
    endpoints,
    deliveries: createDeliveryStore(collections.deliveries, logger),
    eventAccess: await openEventAccess(context, bus, gateway, makeDue),
    attempt: openAttempts(context),
    /** The delivery runs of this replica. */
    running,
    /** Endpoints are due: this replica claims them at once. */
    noteDue,
    onDue: (listener: () => void): void => void listeners.push(listener),
    /** Makes endpoints due, on this replica at once. */
    makeDue,
    /** The endpoint changed, or has something to do. */
    async wake(endpointId: WebhookEndpointId): Promise<void> {
      const run = running.get(endpointId);
      // On this replica its present run reads the change before the next request.
      if (run) run.readMs = Number.NEGATIVE_INFINITY;
      await makeDue({ endpointId });
    },
    clock,
    identifiers,
    logger,
    allowPrivate,
    health,
    limits,
    /** No request starts any more. */
    stopping: lifetime.signal,
  };
}

/** The stop lets requests in flight end, for a time. */
function openAttempts({ clock, config, lifetime }: Context): AttemptDelivery {
  const { allowPrivate, timeoutMs, retries, drainMs } = config.webhooks;
  const sender = createWebhookSender(createHostResolver(), { allowPrivate }, timeoutMs);
  lifetime.defer('webhook connections', () => sender.close());
  const aborting = new AbortController();
  lifetime.signal.addEventListener('abort', () => {
    setTimeout(() => aborting.abort(), drainMs).unref();
  });
  return createAttemptDelivery(sender, retries, clock, aborting.signal);
}

/** Whether Projects may receive their events, invalidated by the changes that the gateway publishes. */
async function openEventAccess(
  { lifetime, clock, logger }: Context,
  bus: MessageBus,
  gateway: GatewayClient,
  makeDue: (of: OfEndpoints) => Promise<void>,
): Promise<ProjectEventAccess> {
  const findEventAccess = gateway.mayHaveEvents;
  const eventAccess = createProjectEventAccess({ findEventAccess, clock, logger });
  const subscription = await bus.broadcast({
    name: 'event-stream-authority',
    topics: ['authority.changes.v1'],
    onMessage({ type, body }) {
      if (type !== 'authority.changed.v1') return;
      const { accountId, projectId } = body;
      // A change of an account does not list its Projects.
      eventAccess.invalidate(projectId);
      // Whether an endpoint may be sent to depends on no Credential.
      if (body.credentialId !== null) return;
      makeDue({ waitingOf: { accountId, projectId } }).catch((error: unknown) => {
        // They are due after their pause.
        logger.warn({ err: error, accountId }, 'endpoints of a change not made due');
      });
    },
  });
  lifetime.defer('authority changes', () => subscription.stop());
  return eventAccess;
}
