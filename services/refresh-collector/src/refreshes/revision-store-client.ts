import { stagedPageBytesMax } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '@inventory/contracts/messages/revision-commands';
import type { InternalClient } from '@inventory/http/internal-client';
import { type PagePlace, stagePage } from '@inventory/http/stage-page';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import type { PlatformPage } from '../egress/platform-page.domain.ts';

/** Stages pages in the revision-store; the result is the page's entry of the manifest. */
export interface RevisionStoreClient {
  /** The text of a page as it is staged; null where it is too large to be saved. */
  textOf(page: PlatformPage): Promise<Buffer | null>;
  stagePage(place: PagePlace, text: Buffer): Promise<ManifestPage>;
}

const largeAssetsMin = 100;

/** `executor` serializes large pages. */
export function createRevisionStoreClient(
  client: InternalClient,
  executor: SerialExecutor,
): RevisionStoreClient {
  return {
    async textOf(page) {
      const write = () => stagedText(page, stagedPageBytesMax);
      return page.assets.length < largeAssetsMin ? write() : executor.enqueue(write);
    },
    stagePage: (place, text) => stagePage(client, place, text),
  };
}

type Rows = Pick<PlatformPage, 'assets' | 'descriptions'>;

/**
 * The text of a page as it is staged; null where it exceeds `bytesMax`. Rows are written one by
 * one, so that a page that grows as it is written is found before it fills the memory.
 */
export function stagedText({ assets, descriptions }: Rows, bytesMax: number): Buffer | null {
  let left = bytesMax;
  const write = (rows: readonly object[]): string | null => {
    const texts: string[] = [];
    for (const row of rows) {
      const text = JSON.stringify(row);
      left -= text.length;
      if (left < 0) return null;
      texts.push(text);
    }
    return texts.join(',');
  };
  const ofAssets = write(assets);
  const ofDescriptions = ofAssets === null ? null : write(descriptions);
  if (ofDescriptions === null) return null;
  const text = Buffer.from(`{"assets":[${ofAssets}],"descriptions":[${ofDescriptions}]}`);
  return text.length <= bytesMax ? text : null;
}
