import type { BalanceLowEvent } from './balance-event.domain.ts';
import type { RefreshEvent } from './refresh-event.domain.ts';

/** The name of a type of event, also of one that a later version adds. */
export type EventType = string;

/** An event of a Project's log, without its position. */
export type LoggedEvent = RefreshEvent | BalanceLowEvent;
