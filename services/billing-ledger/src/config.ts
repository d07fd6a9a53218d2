import { serviceConfig, serviceSettings } from '@inventory/runtime/service-settings';
import { deepFreeze, duration, integer, readSettings } from '@inventory/runtime/settings';

export const settings = {
  ...serviceSettings,
  COMMAND_BATCH_MAX: integer(1, 10_000)
    .prefault('500')
    .describe('Most commands of one partition in one batch'),
  ACCOUNT_BATCH_MAX: integer(1, 500)
    .prefault('250')
    .describe('Most entries of one account in one commit; its further entries wait a round'),
  CACHED_ACCOUNTS_MAX: integer(1, 10_000_000)
    .prefault('20000')
    .describe('Accounts cached in memory'),
  RECENT_COMMANDS_MAX: integer(1, 10_000_000)
    .prefault('100000')
    .describe('Recorded command keys cached in memory, so that a duplicate costs no read'),
  SNAPSHOT_EVERY_ENTRIES: integer(1, 1_000_000)
    .prefault('200')
    .describe('Entries of an account between its snapshots'),
  SNAPSHOT_PASS_INTERVAL_MS: duration()
    .prefault('60000')
    .describe(
      'From one pass of any replica over all active accounts to the next: snapshots, usage roll-ups and the list of old holds are at most so old',
    ),
  VERIFY_INTERVAL_MS: duration()
    .prefault('86400000')
    .describe(
      'From one verification of any process to the next one by a replica; 0: only by --verify',
    ),
  PRICE_REFRESH_INTERVAL_MS: duration()
    .prefault('5000')
    .describe('Pause between reads of the price lists'),
  CLOCK_OFFSET_MAX_MS: duration()
    .prefault('5000')
    .describe(
      "Greatest difference between this machine's clock and MongoDB's; beyond it nothing is written",
    ),
} as const;

export type BillingLedgerConfig = ReturnType<typeof loadConfig>;

/** Throws a SettingsError that names every problem. */
export function loadConfig(environment: Record<string, string | undefined>) {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    commits: { commandsMax: parsed.COMMAND_BATCH_MAX, entriesMax: parsed.ACCOUNT_BATCH_MAX },
    cache: {
      accountsMax: parsed.CACHED_ACCOUNTS_MAX,
      recentKeysMax: parsed.RECENT_COMMANDS_MAX,
    },
    snapshots: {
      everyEntries: parsed.SNAPSHOT_EVERY_ENTRIES,
      passIntervalMs: parsed.SNAPSHOT_PASS_INTERVAL_MS,
    },
    /** 0 where only another process verifies. */
    verifyIntervalMs: parsed.VERIFY_INTERVAL_MS,
    priceRefreshIntervalMs: parsed.PRICE_REFRESH_INTERVAL_MS,
    clockOffsetMaxMs: parsed.CLOCK_OFFSET_MAX_MS,
  });
}
