import type { BalanceLowEvent } from './balance-event.ts';
import type { RefreshEvent } from './refresh-event.ts';

/** An event of a Project's log, without its position. */
export type LoggedEvent = RefreshEvent | BalanceLowEvent;
