import type { Clock } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';
import { createPromisedSecretStore } from './promised-secret-store.ts';
import { createPromisedSecrets } from './promised-secrets.ts';

/** The database must have `promisedSecretIndexes`. */
export function openPromisedSecrets(
  db: Db,
  {
    config: { cursorKeys, deadlines },
    clock,
  }: {
    readonly config: {
      readonly cursorKeys: readonly string[];
      readonly deadlines: { readonly lookUpMs: number };
    };
    readonly clock: Clock;
  },
) {
  return createPromisedSecrets(createPromisedSecretStore(db, deadlines), cursorKeys, clock);
}
