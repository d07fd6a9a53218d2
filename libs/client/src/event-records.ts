import type { components } from './generated/wire-types.ts';

type Schemas = components['schemas'];

/** An event of a Project. Types may be added within the version: ignore unknown ones. */
export type ProjectEvent = Schemas['ProjectEvent'];
/** A refresh is terminal: read its outcome, then Current. */
export type RefreshCompletedEvent = Schemas['RefreshCompletedEvent'];
/** Less is available than the threshold of the account's balance alert. */
export type BalanceLowEvent = Schemas['BalanceLowEvent'];

export type EventPage = Schemas['EventPage'];
/** An event with its position: the same cursor as on the stream. */
export type PlacedEvent = EventPage['items'][number];
