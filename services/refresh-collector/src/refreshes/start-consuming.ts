import type { MessageBus, ReceivedMessage } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Admission, AdmitDeps } from './admit-refresh.ts';
import type { SagaDeps } from './apply-fact.ts';
import { onBillingOutcome, onProjectEvent, onRevisionOutcomes } from './on-outcomes.ts';
import { onRefreshCommands } from './on-refresh-commands.ts';
import type { RefreshConfig } from './refresh-config.ts';

export interface ConsumingDeps {
  readonly bus: Pick<MessageBus, 'consume'>;
  readonly saga: SagaDeps;
  readonly admission: Admission;
  readonly stores: Pick<AdmitDeps, 'inventories'>;
  readonly observations: AdmitDeps['observations'];
  readonly estimate: AdmitDeps['estimate'];
}

const concurrencyMax = 32;
const requestAgeMaxMs = 10 * 60_000;

/** Starts the consumer of commands and outcomes; the lifetime stops it. */
export async function startConsuming(
  { config, lifetime, clock, logger }: ServiceContext<ServiceConfig & RefreshConfig>,
  { bus, saga, admission, stores, observations, estimate }: ConsumingDeps,
): Promise<void> {
  const admitting = {
    refreshes: saga.refreshes,
    admission,
    inventories: stores.inventories,
    observations,
    logger,
    publish: saga.publish,
    estimate,
    clock,
    queueDeadlineMs: config.deadlines.queueMs,
    requestAgeMaxMs,
  };
  const handlers = {
    ...onRefreshCommands(admitting, saga),
    ...onBillingOutcome(saga, logger),
    ...onRevisionOutcomes(saga),
    ...onProjectEvent(saga),
  };
  const subscription = await bus.consume({
    group: 'refresh-collector',
    topics: [
      'refresh.commands.v1',
      'billing.outcomes.v1',
      'revision.outcomes.v1',
      'project.events.v1',
    ],
    onBatch: byKey(handlers, concurrencyMax, orderingKeyOf),
  });
  lifetime.defer('consumer', () => subscription.stop());
}

/** The messages of one refresh stay in order: a burst of its account does not delay it. */
function orderingKeyOf(message: ReceivedMessage): string {
  switch (message.type) {
    case 'billing.outcome.v1':
      return message.body.refresh_id ?? message.key;
    case 'project.event-appended.v1':
      return message.body.event.refresh_id ?? message.key;
    default:
      return message.key;
  }
}
