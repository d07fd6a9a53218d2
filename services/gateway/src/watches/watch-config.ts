import { count, type Parsed } from '@inventory/runtime/settings';

export const watchSettings = {
  WATCHES_PER_PROJECT_MAX: count().prefault('10000').describe('Most watches of one Project'),
} as const;

export type WatchConfig = Readonly<ReturnType<typeof watchConfig>>;

export function watchConfig(parsed: Parsed<typeof watchSettings>) {
  return { watches: { perProjectMax: parsed.WATCHES_PER_PROJECT_MAX } };
}
