import type { ApiError } from './errors.ts';
import type { components } from './generated/wire-types.ts';

type Schemas = components['schemas'];

/** An inventory that is refreshed again and again. */
export type Watch = Schemas['Watch'];
/** What became of one watch of a batch. */
export type WatchResult =
  | { readonly accepted: true; readonly watch: Watch }
  | { readonly accepted: false; readonly error: ApiError };
/** One run of a watch: a refresh, and the deliveries of its event. */
export type WatchRun = Schemas['WatchRun'];
