import { type Environment, environmentOf } from '@inventory/contracts/environment';
import type { RefreshId } from '@inventory/contracts/ids';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import { consumerGroup } from '@inventory/contracts/topics';
import type { MessageBus, ReceivedMessage } from '@inventory/messaging/bus';
import { byKey, type Handlers } from '@inventory/messaging/dispatch';
import { pause } from '@inventory/runtime/wait';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { admitAttempt } from './admission/admit-attempt.ts';
import { cancelRefresh } from './admission/cancel-refresh.ts';
import type { Admission } from './admission/open-admission.ts';
import type { RefreshCollectorConfig } from './config.ts';
import { applyFact } from './saga/apply-fact.ts';
import { factOfBillingOutcome } from './saga/billing-fact.ts';
import type { Saga } from './saga/open-saga.ts';
import { releaseOrphanedHold } from './saga/orphaned-holds.ts';
import type { Fact } from './saga/refresh-fact.domain.ts';
import { lostHolds } from './saga/refresh-metrics.ts';

const concurrencyMax = 32;

/** Starts the consumer of commands and outcomes; the lifetime stops it. */
export async function startConsuming(
  { config, lifetime }: ServiceContext<RefreshCollectorConfig>,
  bus: MessageBus,
  admission: Admission,
): Promise<void> {
  const { saga } = admission;
  const { environment } = config;
  const handlers = {
    ...onRefreshCommands(admission),
    ...onBillingOutcome(saga),
    ...onRevisionOutcomes(admission),
    ...onProjectEvent(saga),
  };
  const handle = byKey(handlers, concurrencyMax, orderingKeyOf);
  const subscription = await bus.consume({
    group: consumerGroup('refresh-collector', 'refresh.commands.v1', environment),
    topics: [
      'refresh.commands.v1',
      'billing.outcomes.v1',
      'revision.outcomes.v1',
      'project.events.v1',
    ],
    onBatch: (batch) => handle(batch.filter((message) => isOf(environment, message))),
  });
  lifetime.defer('consumer', () => subscription.stop());
}

/**
 * Both collectors consume every message, and each has those of the accounts of its environment: the
 * other one would refuse their commands, and release their holds as orphaned. What states no account
 * names a refresh, which the other one does not find.
 */
export function isOf(environment: Environment, { body }: ReceivedMessage): boolean {
  return !('accountId' in body) || environmentOf(body.accountId) === environment;
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

function onRefreshCommands(admission: Admission): Handlers {
  return {
    'refresh.request.v1': (received) => admitAttempt(admission, received),
    'refresh.cancel.v1': (received) => cancelRefresh(admission.saga, received),
  };
}

export function onBillingOutcome(saga: Saga): Handlers {
  const { clock, logger } = saga;
  const reportLostHold = (refreshId: RefreshId) => {
    lostHolds.add(1);
    logger.error({ refreshId }, 'hold lost: the refresh is completed without a charge');
  };

  return {
    'billing.outcome.v1': async ({ body, trace }) => {
      const { refreshId } = body;
      const atMs = clock.now();
      const fact = factOfBillingOutcome(body, atMs);
      if (refreshId === null || !fact) return;
      const applied = await applyBillingFact(saga, refreshId, fact);
      if (applied?.step === 'changed' && fact.fact === 'hold_lost') reportLostHold(refreshId);
      if (applied || !isHold(body)) return;
      const { accountId, projectId } = body;
      const cancel = { refreshId, accountId, projectId, requestedAtMs: atMs };
      // Stored meanwhile: the hold belongs to it.
      if (!(await releaseOrphanedHold(saga, cancel, trace))) {
        await applyFact(saga, refreshId, fact, 'redelivery');
      }
    },
  };
}

const besidePauseMs = 50;
const besideTriesMax = 10;

/**
 * The command that it replies to is sent beside the write of its phase, on another replica perhaps: an end of
 * billing that comes first waits for that write. Where it fails, the command is sent again with it.
 */
async function applyBillingFact(saga: Saga, refreshId: RefreshId, fact: Fact) {
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

function onRevisionOutcomes({ saga, observations }: Admission): Handlers {
  return {
    'revision.committed.v1': async ({ body }) => {
      const { refreshId } = body;
      const fact = { fact: 'committed', ...body } as const;
      const applied = refreshId && (await applyFact(saga, refreshId, fact, 'redelivery'));
      const scope = body.scope ?? (applied ? applied.refresh.scope : undefined);
      if (scope) await observations.takeCommitted(scope);
    },
    'revision.rejected.v1': async ({ body }) => {
      if (body.refreshId === null) return;
      await applyFact(saga, body.refreshId, { fact: 'rejected', ...body }, 'redelivery');
    },
  };
}

function onProjectEvent({ refreshes }: Saga): Handlers {
  return {
    'project.event-appended.v1': async ({ body }) => {
      const { refreshId } = body.event;
      if (refreshId !== null) await refreshes.recordAppended(refreshId);
    },
  };
}
