import { pageChunksMax } from '@inventory/contracts/internal/inventory';
import { pageAssetsMax } from '@inventory/contracts/vocabulary';
import type { MessageBus } from '@inventory/messaging/bus';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RevisionStoreConfig } from '../config.ts';
import type { DecidedScan } from '../domain/scan.ts';
import type { RevisionStores } from '../storage/open-stores.ts';
import { createKnownContents } from './known-contents.ts';
import { outcomeMessage } from './outcome-message.ts';

/** The record of an erased inventory is kept until no older scan can arrive. */
const erasedKeptMs = 24 * 3_600_000;

/** What scans are staged, assembled, decided and pruned with. */
export type Scanning = ReturnType<typeof openScanning>;

export function openScanning(
  { config, clock, identifiers, logger }: Omit<ServiceContext<RevisionStoreConfig>, 'lifetime'>,
  stores: RevisionStores,
  publish: MessageBus['publish'],
) {
  return {
    ...stores,
    clock,
    identifiers,
    logger,
    contents: createKnownContents(),
    /** Surveys pages. */
    executor: createSerialExecutor(),
    publish,
    /** Sends the outcome of a decided scan; where it is lost, the collector sends its command again. */
    async sendOutcome(decided: DecidedScan, scopeKey: string): Promise<void> {
      try {
        await publish([outcomeMessage(decided, scopeKey)]);
      } catch (error) {
        logger.warn({ err: error, scan_id: decided.scanId }, 'outcome not sent, to be asked for');
      }
    },
    settings: {
      ...config.assembly,
      ...config.retention,
      retention: { ...config.retention, erasedKeptMs },
      /** Assets of one block of a new revision. */
      blockAssets: pageAssetsMax as number,
      /** Chunks of one page at most. */
      pageChunksMax: pageChunksMax as number,
    },
  };
}
