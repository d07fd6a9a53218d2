import type { BalanceLowEvent } from './balance-event.ts';
import type { RefreshEvent } from './refresh-event.ts';

/** What a Project's log holds: an event without its place. */
export type LoggedEvent = RefreshEvent | BalanceLowEvent;
