import { randomUUID } from 'node:crypto';
import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { randomBetween } from '@inventory/runtime/backoff';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { createTurnFlush } from '@inventory/runtime/turn-flush';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from './config.ts';
import { countAttempt, countDisabled } from './metrics.ts';
import { createDeliverer, type DelivererDeps } from './operations/deliver-due.ts';
import { createDeliveryEnding } from './operations/end-deliveries.ts';
import { gatherWrites } from './operations/gather-writes.ts';
import { createHeldAccounts, type HeldAccounts } from './operations/hold-accounts.ts';
import type { PageSending } from './operations/send-pages.ts';
import { createAccountLeases } from './storage/account-leases.ts';
import type { EndpointQueues } from './storage/endpoint-queues.ts';
import { attemptDelivery } from './webhooks/attempt-delivery.ts';
import type { DeliveryStore } from './webhooks/delivery-store.ts';
import type { EndpointStore } from './webhooks/endpoint-store.ts';
import type { ProjectEventAccess } from './webhooks/event-access.ts';
import { createHostResolver } from './webhooks/resolve-host.ts';
import type { AddressRules } from './webhooks/webhook-address.domain.ts';
import { openAccountLeaseCollection } from './webhooks/webhook-document.ts';
import type { DisabledReason, WebhookEndpoint } from './webhooks/webhook-endpoint.domain.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';

export interface SendingDeps {
  readonly db: Db;
  readonly endpoints: EndpointStore;
  readonly queues: EndpointQueues;
  readonly deliveries: DeliveryStore;
  readonly eventAccess: ProjectEventAccess;
  readonly rules: AddressRules;
  readonly onDrained: (endpointId: WebhookEndpointId) => void;
}

const randomSteps = 1_000_000;
/** Longest time that the record of a response takes. */
const recordMs = 1_000;
const intervalMaxMs = 1_000;

/** Sends due deliveries, and ends those of disabled endpoints. */
export function startSending(context: ServiceContext<EventStreamConfig>, deps: SendingDeps) {
  const { config, lifetime, logger } = context;
  const { sweepEveryMs, drainMs } = config.webhooks;
  const ending = startEnding(context, deps);
  const accounts = openAccounts(context, deps.db);
  // The slots that are released in one turn of the event loop are planned together.
  const flushSoon = createTurnFlush();
  const planSlots = () => job.wake();
  const deliverer = openDeliverer(context, {
    ...{ ...deps, accounts },
    onStopped: ending.wake,
    onSlotReleased: () => flushSoon(planSlots),
  });
  lifetime.defer('webhook attempts', () => deliverer.stop(drainMs));
  const job = startPeriodicJob({
    name: 'webhook deliveries',
    intervalMs: Math.min(sweepEveryMs, intervalMaxMs),
    lifetime,
    logger,
    runOnce: () => deliverer.startDue(),
  });
  return {
    sending: deliverer as PageSending,
    acquireAccounts: accounts.acquire,
    readEndpoints: deliverer.readEndpoints,
    /** The endpoint was changed or deleted. */
    forget: deliverer.forget,
    /** Deliveries of the endpoint were made due, or it was disabled. */
    wake(endpoint: WebhookEndpoint) {
      if (endpoint.state === 'enabled') deliverer.notify(endpoint);
      else ending.wake(endpoint.id);
      job.wake();
    },
    wakePings() {
      deliverer.notifyPing();
      job.wake();
    },
  };
}

function openDeliverer(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  deps: SendingDeps & Pick<DelivererDeps, 'accounts' | 'onStopped' | 'onSlotReleased'>,
) {
  const { deliveries, endpoints, rules } = deps;
  const { retries, health, limits, timeoutMs } = config.webhooks;
  const sender = createWebhookSender({ ...rules, resolve: createHostResolver(), timeoutMs });
  lifetime.defer('webhook connections', () => sender.close());
  const attempts = {
    ...{ sender, endpoints, clock, logger, retries, health },
    recordAttempt: gatherWrites(deliveries.recordAttempts),
    random: () => randomBetween(0, randomSteps - 1) / randomSteps,
    onAttempt: countAttempt,
    onDisabled(reason: DisabledReason, endpointId: WebhookEndpoint['id']) {
      countDisabled(reason);
      deps.onStopped(endpointId);
    },
  };
  return createDeliverer({
    ...{ ...deps, clock, logger, limits, health },
    attempt: (endpoint, claimed, signal) => attemptDelivery(attempts, endpoint, claimed, signal),
  });
}

function openAccounts({ config, clock }: ServiceContext<EventStreamConfig>, db: Db): HeldAccounts {
  const leases = createAccountLeases(openAccountLeaseCollection(db));
  const requestMs = config.webhooks.timeoutMs + recordMs;
  return createHeldAccounts({ leases, clock, owner: randomUUID(), requestMs });
}

function startEnding(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  { deliveries, queues }: Pick<SendingDeps, 'deliveries' | 'queues'>,
) {
  // Only a crash leaves deliveries to the sweep.
  const sweepEveryMs = config.log.pruneEveryMs;
  const ending = createDeliveryEnding({ deliveries, queues, clock, sweepEveryMs });
  const job = startPeriodicJob({
    name: 'webhook endings',
    intervalMs: sweepEveryMs,
    lifetime,
    logger,
    runOnce: (stopping) => ending.endStopped(stopping),
  });
  return {
    wake(endpointId: WebhookEndpoint['id']) {
      ending.notify(endpointId);
      job.wake();
    },
  };
}
