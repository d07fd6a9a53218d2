import { languages } from '../catalogue/languages.ts';

/** One request for a page, as far as the platform understands it. */
export type InventoryRequest = {
  readonly identity: string;
  readonly nowMs: number;
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
  readonly language: string;
  /** Undefined when absent: then the platform takes its maximum. NaN when it is not a count. */
  readonly count: number | undefined;
  readonly startAssetId: string | undefined;
  readonly rawAssetProperties: boolean;
};

/**
 * Reads `/inventory/{platform_id}/{app_id}/{context_id}`; undefined for any other path. Segments that
 * are not numbers become 0, which is not an application; unknown languages become english.
 */
export function readInventoryRequest(
  url: URL,
  sender: { readonly identity: string; readonly nowMs: number },
): InventoryRequest | undefined {
  const match = /^\/inventory\/([^/]+)\/([^/]+)\/([^/]+)\/?$/.exec(url.pathname);
  if (match === null) {
    return undefined;
  }
  const query = url.searchParams;
  const language = query.get('l') ?? 'english';
  const startAssetId = query.get('start_assetid');
  return {
    ...sender,
    platformId: match[1] ?? '',
    appId: decimal(match[2]),
    contextId: decimal(match[3]),
    language: languages.includes(language) ? language : 'english',
    count: readCount(query.get('count')),
    startAssetId: startAssetId === null || startAssetId === '' ? undefined : startAssetId,
    rawAssetProperties: query.get('raw_asset_properties') === '1',
  };
}

/** The key of one inventory in the world's maps. */
export function inventoryKey(of: {
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
}): string {
  return `${of.platformId}/${of.appId}/${of.contextId}`;
}

function decimal(text: string | undefined): number {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}

function readCount(text: string | null): number | undefined {
  if (text === null || text === '') {
    return undefined;
  }
  return /^[0-9]{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : Number.NaN;
}
