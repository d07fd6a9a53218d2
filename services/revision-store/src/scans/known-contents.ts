import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { Contents } from '../domain/scan-comparison.ts';
import { sha256Hex } from '../domain/sha256.ts';

/** What scans said, by the digests of their pages and nothing else: the same bytes say the same. */
export interface KnownContents {
  find(pages: readonly ManifestPage[]): Contents | undefined;
  remember(pages: readonly ManifestPage[], contents: Contents): void;
  /** Whether a page of these bytes is known as a whole scan. */
  hasPage(digest: string): boolean;
}

const scansMax = 20_000;

export function createKnownContents(): KnownContents {
  const known = createRecentlyUsed<string, Contents>(scansMax);
  return {
    find: (pages) => known.get(keyOf(pages)),
    remember: (pages, contents) => void known.set(keyOf(pages), contents),
    hasPage: (digest) => known.has(digest),
  };
}

/** The digest of its page, of a scan with one. */
function keyOf(pages: readonly ManifestPage[]): string {
  const digests = pages.map(({ chunks }) => chunks.map(({ digest }) => digest).join('+'));
  const [only = ''] = digests;
  return digests.length > 1 ? sha256Hex(Buffer.from(digests.join())) : only;
}
