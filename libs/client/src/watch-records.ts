import type { components } from './generated/wire-types.ts';

type Schemas = components['schemas'];

/** An inventory that is refreshed again and again. */
export type Watch = Schemas['Watch'];
/** One run of a watch: a refresh, and the deliveries of its event. */
export type WatchRun = Schemas['WatchRun'];
