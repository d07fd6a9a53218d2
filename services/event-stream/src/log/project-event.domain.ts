import type { BalanceLowEvent } from './balance-event.domain.ts';
import type { RefreshEvent } from './refresh-event.domain.ts';

/** An event of a Project's log, without its position. */
export type LoggedEvent = RefreshEvent | BalanceLowEvent;
