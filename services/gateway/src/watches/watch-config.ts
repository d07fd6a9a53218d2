import { count, type readSettings } from '@inventory/runtime/settings';

export const watchSettings = {
  WATCHES_PER_PROJECT_MAX: count().prefault('10000').describe('Most watches of one Project'),
} as const;

export interface WatchConfig {
  readonly watches: { readonly perProjectMax: number };
}

type Parsed = ReturnType<typeof readSettings<typeof watchSettings>>;

export function watchConfig(parsed: Parsed): WatchConfig {
  return { watches: { perProjectMax: parsed.WATCHES_PER_PROJECT_MAX } };
}
