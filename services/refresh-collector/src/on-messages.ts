import type { RefreshId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { MessageBus, ReceivedMessage } from '@inventory/messaging/bus';
import { byKey, type Handlers } from '@inventory/messaging/dispatch';
import type { Logger } from '@inventory/runtime/logger';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { pause } from '@inventory/runtime/wait';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { type AdmitDeps, admitRefresh } from './admission/admit-attempt.ts';
import { cancelRefresh } from './admission/cancel-refresh.ts';
import { releaseOrphanedHold } from './jobs/orphaned-holds.ts';
import { applyFact, type SagaDeps } from './saga/apply-fact.ts';
import { factOfBillingOutcome } from './saga/billing-fact.ts';
import type { Fact } from './saga/refresh-fact.domain.ts';
import { lostHolds } from './saga/refresh-metrics.ts';
import type { RefreshConfig } from './saga/saga-config.ts';

export interface ConsumingDeps
  extends Pick<AdmitDeps, 'admission' | 'inventories' | 'observations' | 'estimate'> {
  readonly bus: MessageBus;
  readonly saga: SagaDeps;
  /** Completes what waits for an observation of the inventory. */
  readonly takeCommitted: (scope: InventoryKey) => Promise<void>;
}

const concurrencyMax = 32;
const requestAgeMaxMs = 10 * 60_000;

/** Starts the consumer of commands and outcomes; the lifetime stops it. */
export async function startConsuming(
  { config, lifetime, logger }: ServiceContext<ServiceConfig & RefreshConfig>,
  { bus, saga, takeCommitted, ...admission }: ConsumingDeps,
): Promise<void> {
  const { queueMs: queueDeadlineMs } = config.deadlines;
  const admitting = { ...admission, ...saga, queueDeadlineMs, requestAgeMaxMs };
  const handlers = {
    ...onRefreshCommands(admitting, saga),
    ...onBillingOutcome(saga, logger),
    ...onRevisionOutcomes(saga, takeCommitted),
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
      return message.body.refreshId ?? message.key;
    case 'project.event-appended.v1':
      return message.body.event.refreshId ?? message.key;
    default:
      return message.key;
  }
}

function onRefreshCommands(admit: AdmitDeps, saga: SagaDeps): Handlers {
  return {
    'refresh.request.v1': (received) => admitRefresh(admit, received),
    'refresh.cancel.v1': (received) => cancelRefresh(saga, received),
  };
}

export function onBillingOutcome(saga: SagaDeps, logger: Logger): Handlers {
  const reportLostHold = (refreshId: RefreshId) => {
    lostHolds.add(1);
    logger.error({ refresh_id: refreshId }, 'hold lost: the refresh is completed without a charge');
  };

  return {
    'billing.outcome.v1': async ({ body, trace }) => {
      const { refreshId } = body;
      const fact = factOfBillingOutcome(body, saga.clock.now());
      if (refreshId === null || !fact) return;
      const applied = await applyBillingFact(saga, refreshId, fact);
      if (applied?.step === 'changed' && fact.fact === 'hold_lost') reportLostHold(refreshId);
      if (applied || !isHold(body)) return;
      const of = { refreshId, accountId: body.accountId, projectId: body.projectId };
      // Stored meanwhile: the hold belongs to it.
      if (!(await releaseOrphanedHold(saga, of, trace))) {
        await applyFact(saga, refreshId, fact, 'redelivery');
      }
    },
  };
}

const besidePauseMs = 50;
const besideTriesMax = 10;

/**
 * The command that it answers is sent beside the write of its phase, on another replica perhaps: an end of
 * billing that comes first waits for that write. Where it fails, the command is sent again with it.
 */
async function applyBillingFact(saga: SagaDeps, refreshId: RefreshId, fact: Fact) {
  const isEnd = fact.fact === 'settled' || fact.fact === 'hold_lost';
  for (let tries = 1; ; tries += 1) {
    const applied = await applyFact(saga, refreshId, fact, 'redelivery');
    const isEarly = applied?.step === 'ignored' && applied.refresh.phase === 'assembling';
    if (!isEnd || !isEarly || tries === besideTriesMax) return applied;
    await pause(besidePauseMs);
  }
}

/** Without its refresh such a hold is orphaned and must be released. */
function isHold(
  outcome: BillingOutcome,
): outcome is BillingOutcome & { projectId: NonNullable<BillingOutcome['projectId']> } {
  return outcome.kind === 'reserve' && outcome.result === 'applied' && outcome.projectId !== null;
}

function onRevisionOutcomes(
  saga: SagaDeps,
  observed: (scope: InventoryKey) => Promise<void>,
): Handlers {
  return {
    'revision.committed.v1': async ({ body }) => {
      const { refreshId } = body;
      const fact = { fact: 'committed', ...body } as const;
      const applied = refreshId && (await applyFact(saga, refreshId, fact, 'redelivery'));
      const scope = body.scope ?? (applied ? applied.refresh.scope : undefined);
      if (scope) await observed(scope);
    },
    'revision.rejected.v1': async ({ body }) => {
      if (body.refreshId === null) return;
      await applyFact(saga, body.refreshId, { fact: 'rejected', ...body }, 'redelivery');
    },
  };
}

function onProjectEvent({ refreshes }: SagaDeps): Handlers {
  return {
    'project.event-appended.v1': async ({ body }) => {
      const { refreshId } = body.event;
      if (refreshId !== null) await refreshes.recordAppended(refreshId);
    },
  };
}
