import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { skippingInterim } from '@inventory/http/skip-interim';
import { startPlatformSimulator } from '@inventory/platform-simulator/platform-simulator';
import { Agent, buildConnector, fetch } from 'undici';

export type Row = Readonly<Record<string, unknown>>;

/** What a complete scan has to find: every asset once, in the platform's order, and its texts. */
export interface PlatformTruth {
  readonly assets: readonly Row[];
  /** By classid and instanceid. */
  readonly descriptions: ReadonlyMap<string, Row>;
  /** As the last page said. */
  readonly reportedTotalCount: number;
}

export interface TruthReader {
  /** What one walk from cursor to cursor finds, whatever vanishes under a cursor. */
  asWalked(scope: InventoryKey): Promise<PlatformTruth>;
  of(scope: InventoryKey, language?: string): Promise<PlatformTruth>;
  close(): Promise<void>;
}

interface Page {
  readonly assets?: readonly Row[];
  readonly descriptions?: readonly Row[];
  readonly asset_properties?: unknown;
  readonly more_items?: number;
  readonly last_assetid?: string;
  readonly total_inventory_count: number | string;
  readonly success: number;
}

/** More than any plan of a scenario fails in a row. */
const triesMax = 8;
/** More than any silence the platform asks for. */
const silenceMs = 120_000;

/**
 * The truth from the platform itself: a second one with the same seed, which no other client reads, so
 * that the plans of scenarios are not disturbed. Its clock jumps instead of waiting.
 */
export async function openTruthReader(): Promise<TruthReader> {
  let nowMs = 0;
  const dispatcher = new Agent({ connect: skippingInterim(buildConnector({})) });
  const simulator = await startPlatformSimulator({
    limits: { slots: null },
    latency: { slowMs: 1 },
    now: () => nowMs,
  });

  async function goodPage(url: string): Promise<Page> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const page = await fetch(url, { dispatcher }).then(readPage, () => null);
      if (page) return page;
      nowMs += silenceMs;
    }
    throw new Error(`${url} gives no good page`);
  }

  async function walk(scope: InventoryKey, language: string): Promise<Page[]> {
    const pages: Page[] = [];
    const path = `${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
    const query = `l=${language}&count=2000&raw_asset_properties=1`;
    for (let cursor = ''; ; ) {
      const page = await goodPage(`${simulator.url}/inventory/${path}?${query}${cursor}`);
      pages.push(page);
      if (!page.more_items) return pages;
      cursor = `&start_assetid=${page.last_assetid}`;
    }
  }

  /** A last page without a new asset may lie after a cursor that is lost: walk again. */
  async function walkToEnd(scope: InventoryKey, language: string): Promise<Page[]> {
    const pages = await walk(scope, language);
    const before = new Set(pages.slice(0, -1).flatMap(idsOf));
    const isNoEnd = pages.length > 1 && idsOf(pages.at(-1)).every((id) => before.has(id));
    return isNoEnd ? walk(scope, language) : pages;
  }

  return {
    asWalked: async (scope) => truthOf(await walk(scope, 'english')),
    of: async (scope, language = 'english') => truthOf(await walkToEnd(scope, language)),
    async close() {
      await dispatcher.close();
      await simulator.close();
    },
  };
}

const idsOf = (page: Page | undefined) => (page?.assets ?? []).map(({ assetid }) => assetid);

async function readPage(
  response: Pick<Response, 'status' | 'text' | 'arrayBuffer'>,
): Promise<Page | null> {
  if (response.status !== 200) {
    await response.arrayBuffer();
    return null;
  }
  const page = await response.text().then(parsePage, () => null);
  return page?.success === 1 && Number(page.total_inventory_count) >= 0 ? page : null;
}

/** Halves of characters are U+FFFD for customers. */
function parsePage(text: string): Page | null {
  try {
    return JSON.parse(text, (_name, value) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    );
  } catch {
    return null;
  }
}

export function joinKey(row: Row): string {
  return `${row['classid']}_${row['instanceid'] ?? '0'}`;
}

/** Asset ids, classes and amounts as the decisions say they are given to customers ("Reads"). */
function truthOf(pages: readonly Page[]): PlatformTruth {
  const assets = new Map<string, Row>();
  const descriptions = new Map<string, Row>();
  for (const page of pages) {
    const blocks = Array.isArray(page.asset_properties) ? page.asset_properties : [];
    const properties = new Map(blocks.map((row) => [row['assetid'], row]));
    for (const row of page.assets ?? []) {
      const asset = shownAsset(row, properties);
      const key =
        row['currencyid'] === undefined
          ? `asset ${asset['assetid']}`
          : `currency ${row['currencyid']}`;
      // Seen twice it is one asset: at its first position, with its last amount.
      assets.set(key, asset);
    }
    for (const row of page.descriptions ?? []) descriptions.set(joinKey(row), shownText(row));
  }
  return {
    assets: [...assets.values()],
    descriptions,
    reportedTotalCount: Number(pages.at(-1)?.total_inventory_count ?? 0),
  };
}

function shownAsset(row: Row, properties: ReadonlyMap<unknown, Row>): Row {
  const assetid = row['assetid'] ?? row['currencyid'];
  const own = properties.get(assetid)?.['asset_properties'];
  return {
    ...row,
    assetid,
    instanceid: row['instanceid'] ?? '0',
    ...(own === undefined ? {} : { asset_properties: own }),
  };
}

const listFields = new Set(['descriptions', 'actions', 'market_actions', 'tags', 'fraudwarnings']);

function shownText({ assetid: _assetid, ...row }: Row): Row {
  const fields = Object.entries(row).map(([name, value]) =>
    listFields.has(name) && (value === '' || value === null) ? [name, []] : [name, value],
  );
  return { ...Object.fromEntries(fields), instanceid: row['instanceid'] ?? '0' };
}
