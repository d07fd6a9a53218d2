import { pageChunksMax } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { pageAssetsMax } from '@inventory/contracts/vocabulary';
import type { MessageBus } from '@inventory/messaging/bus';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { RevisionStoreConfig } from '../config.ts';
import type { DecidedScan } from '../domain/scan.ts';
import type { Contents } from '../domain/scan-comparison.ts';
import { sha256Hex } from '../domain/sha256.ts';
import type { RevisionStores } from '../storage/open-stores.ts';
import { outcomeMessage } from './outcome-message.ts';

/** The record of an erased inventory is kept until no older scan can arrive. */
const erasedKeptMs = 24 * 3_600_000;

/** What scans are staged, assembled, decided and pruned with. */
export type Scanning = ReturnType<typeof openScanning>;

export function openScanning(
  { config, clock, identifiers, logger }: ServiceContext<RevisionStoreConfig>,
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
        logger.warn({ err: error, scanId: decided.scanId }, 'outcome not sent, to be requested');
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

const knownScansMax = 20_000;

/** What scans said, by the digests of their pages and nothing else: the same bytes say the same. */
function createKnownContents() {
  const known = createRecentlyUsed<string, Contents>(knownScansMax);
  return {
    find: (pages: readonly ManifestPage[]) => known.get(keyOf(pages)),
    remember: (pages: readonly ManifestPage[], contents: Contents) =>
      void known.set(keyOf(pages), contents),
    /** Whether a page of these bytes is known as a whole scan. */
    hasPage: (digest: string) => known.has(digest),
  };
}

/** The digest of its page, of a scan with one. */
function keyOf(pages: readonly ManifestPage[]): string {
  const digests = pages.map(({ chunks }) => chunks.map(({ digest }) => digest).join('+'));
  const [only = ''] = digests;
  return digests.length > 1 ? sha256Hex(Buffer.from(digests.join())) : only;
}
