import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Refresh, RefreshPhase } from './refresh.domain.ts';
import { countTransition } from './refresh-metrics.ts';
import type { RefreshStore } from './refresh-store.ts';

/** The refreshes and what their steps are taken with: what applies facts takes it whole. */
export type Saga = ReturnType<typeof openSaga>;

/** Called with a refresh that entered a new phase, and the phase it left. */
type RefreshListener = (refresh: Refresh, left: RefreshPhase) => void;

export function openSaga(
  { clock, logger }: ServiceContext,
  { publish }: MessageBus,
  refreshes: RefreshStore,
) {
  const listeners: RefreshListener[] = [];
  return {
    refreshes,
    publish,
    clock,
    logger,
    /** A refresh entered a new phase on this replica. */
    entered(refresh: Refresh, left: RefreshPhase): void {
      countTransition(refresh, left);
      logger.debug({ refreshId: refresh.refreshId, phase: refresh.phase }, 'refresh advanced');
      for (const listener of listeners) listener(refresh, left);
    },
    /** Adds a listener for refreshes that enter a phase on this replica. */
    onEntered: (listener: RefreshListener): void => void listeners.push(listener),
  };
}
