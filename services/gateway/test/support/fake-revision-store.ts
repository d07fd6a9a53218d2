import { savedSummary } from '@inventory/contracts/http/summary';
import {
  type CurrentPageMeta,
  currentPageMeta,
  currentPageMetaHeader,
  packedPageBeginning,
} from '@inventory/contracts/internal/inventory';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { contentCoding, type ExportFormat } from '@inventory/contracts/vocabulary';
import { writeLineRun } from '@inventory/http/line-run';
import { packBeginning } from '@inventory/http/packed-body';
import type { Clock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { z } from 'zod';
import { changesOf } from './fake-changes.ts';
import { createFakeStaging, type FakeStaging } from './fake-staging.ts';
import {
  type FakeResponse,
  type HttpFake,
  jsonResponse,
  refusalResponse,
  startHttpFake,
} from './http-fake.ts';

/** One saved inventory, as pages of ready-made text. */
export interface SavedInventory {
  readonly meta: Omit<CurrentPageMeta, 'nextPosition' | 'packed'>;
  readonly pages: readonly string[];
}

export interface FakeRevisionStore {
  readonly clock: Clock;
  readonly http: HttpFake;
  /** By scope key. */
  readonly inventories: Map<string, SavedInventory>;
  readonly asked: URL[];
  readonly staging: FakeStaging;
  /** Whether pages are packed where a coding is asked for. */
  packs: boolean;
  /** Responds instead of the store; null leaves it to the store. */
  respondInstead: (url: URL) => FakeResponse | null | Promise<FakeResponse | null>;
  reset(): void;
  close(): Promise<void>;
}

export async function startFakeRevisionStore(clock: Clock): Promise<FakeRevisionStore> {
  const inventories = new Map<string, SavedInventory>();

  async function pageOf(url: URL): Promise<FakeResponse> {
    const [, , platformId, appId, contextId] = url.pathname.split('/');
    const saved = inventories.get(`${platformId}/${appId}/${contextId}`);
    if (url.pathname.endsWith('/changes')) return changesOf(saved, url.searchParams);
    if (saved === undefined) return refusalResponse({ code: 'inventory_revision_not_found' });
    if (url.pathname.endsWith('/age')) return jsonResponse({ verified_at: null });
    if (url.pathname.endsWith('/summary')) return summaryOf(saved);
    if (url.pathname.endsWith('/lines')) return linesOf(saved, url.searchParams);
    const pinned = url.searchParams.get('revision_id');
    if (pinned !== null && pinned !== saved.meta.revisionId) {
      return refusalResponse({ code: 'cursor_expired' });
    }
    if (url.pathname.endsWith('/assets')) return lookedUp(saved, url.searchParams);
    const position = Number(url.searchParams.get('position'));
    const text = saved.pages[position];
    if (text === undefined) return refusalResponse({ code: 'inventory_revision_not_found' });
    const nextPosition = position + 1 < saved.pages.length ? position + 1 : null;
    const coding = contentCoding.safeParse(url.searchParams.get('coding')).data;
    const raw = Buffer.from(packedPageBeginning + text);
    const packed = coding && fake.packs ? await packBeginning(coding, raw) : null;
    return {
      status: 200,
      headers: {
        'content-type': 'application/json',
        ...metaHeader({ ...saved.meta, nextPosition, packed }),
      },
      body: packed?.bytes ?? text,
    };
  }

  /** The lines of a page each. */
  function linesOf({ meta, pages }: SavedInventory, query: URLSearchParams): FakeResponse {
    const observed = query.get('observation_id');
    if (observed !== null && observed !== meta.observationId) {
      return refusalResponse({ code: 'cursor_expired' });
    }
    const position = Number(query.get('position'));
    if (position > pages.length) {
      const issue = { in: 'query', field: 'position', reason: 'is beyond the end' } as const;
      return refusalResponse({ code: 'invalid_request', detail: { issues: [issue] } });
    }
    const text = pages[position];
    const nextPosition = position + 1 < pages.length ? position + 1 : null;
    return {
      status: 200,
      headers: metaHeader({ ...meta, nextPosition, packed: null }),
      body: Buffer.concat(lineRun(text, query.get('format'))),
    };
  }

  function lookedUp(saved: SavedInventory, query: URLSearchParams): FakeResponse {
    const asked = [...new Set(query.getAll('assetid'))];
    const pages = saved.pages.map((text) => JSON.parse(`{${text}}`));
    const all = pages.flatMap(({ assets }) => assets);
    const assets = asked.flatMap((id) => all.filter(({ assetid }) => assetid === id));
    const has = (id: string) => assets.some(({ assetid }) => assetid === id);
    const descriptions = query.get('descriptions') === 'none' ? [] : pages[0].descriptions;
    const notInRevision = asked.filter((id) => !has(id));
    const meta = { ...saved.meta, nextPosition: null, packed: null, notInRevision };
    return {
      status: 200,
      headers: metaHeader(meta),
      body: JSON.stringify({ assets, descriptions }).slice(1, -1),
    };
  }

  const staging = createFakeStaging();
  const http = await startHttpFake(async (url, request) => {
    if (url.pathname.startsWith('/scans/')) return staging.respond(url, request);
    const [, inventory] = url.pathname.match(/^\/inventories\/(.+)\/epoch$/) ?? [];
    if (inventory) return jsonResponse({ inventory_epoch: staging.epochOf(inventory) });
    fake.asked.push(url);
    return (await fake.respondInstead(url)) ?? (await pageOf(url));
  });
  const fake: FakeRevisionStore = {
    clock,
    http,
    inventories,
    asked: [],
    staging,
    packs: false,
    respondInstead: () => null,
    reset: () => {
      fake.packs = false;
      fake.respondInstead = () => null;
    },
    close: () => http.close(),
  };
  return fake;
}

/** Saves an inventory of so many pages with one asset each, seen a minute ago. */
export function saveInventory(
  store: FakeRevisionStore,
  scope: InventoryKey,
  overrides: Partial<SavedInventory['meta']> & { pages?: readonly string[] } = {},
): SavedInventory {
  const { pages = [membersText('1')], ...meta } = overrides;
  const at = store.clock.now() - 60_000;
  const saved: SavedInventory = {
    meta: {
      scope,
      revisionId: `invrev_${systemIdentifiers.uuidV7()}`,
      observationId: `invobs_${systemIdentifiers.uuidV7()}`,
      verifiedAtMs: at,
      scanWindow: { startedAtMs: at - 5_000, completedAtMs: at },
      totalCount: pages.length,
      totalAmount: String(pages.length),
      reportedTotalCount: pages.length,
      language: 'english',
      ...meta,
    },
    pages,
  };
  store.inventories.set(inventoryKeyText(scope), saved);
  return saved;
}

function summaryOf({ meta }: SavedInventory): FakeResponse {
  const { totalCount, reportedTotalCount } = meta;
  const counts = { hiddenCount: reportedTotalCount - totalCount, descriptionCount: 1 };
  return jsonResponse(z.encode(savedSummary, { ...meta, ...counts, observedBy: 'refresh' }));
}

const metaHeader = (meta: CurrentPageMeta) => ({
  [currentPageMetaHeader]: JSON.stringify(z.encode(currentPageMeta, meta)),
});

/** The one asset of a page, to be joined to a line; none after the last page. */
function lineRun(text: string | undefined, format: string | null): Buffer[] {
  const { assets, descriptions } = text === undefined ? noRows : JSON.parse(`{${text}}`);
  const textsOf = (rows: readonly Record<string, string>[], column: string) => {
    const bytes = rows.map((row) =>
      Buffer.from(format === 'csv' ? (row[column] ?? '') : JSON.stringify(row)),
    );
    return { bytes, lengths: Uint32Array.from(bytes, (text) => text.length) };
  };
  return writeLineRun({
    assets: textsOf(assets, 'assetid'),
    descriptions: textsOf(descriptions, 'market_hash_name'),
    descriptionOf: new Uint16Array(assets.length),
    firstRow: 0,
  });
}

const noRows = { assets: [], descriptions: [] };

/** The one asset of a page as a line; of a CSV the fake knows one cell of each. */
export function lineOf(text: string, format: ExportFormat = 'ndjson'): string {
  const { assets, descriptions } = JSON.parse(`{${text}}`);
  if (format === 'csv') return `${assets[0].assetid},${descriptions[0].market_hash_name}\r\n`;
  return `${JSON.stringify({ asset: assets[0], description: descriptions[0] ?? null })}\n`;
}

export function membersText(assetId: string): string {
  const asset = {
    appid: 730,
    contextid: '2',
    assetid: assetId,
    classid: '3',
    instanceid: '0',
    amount: '1',
  };
  const description = { appid: 730, classid: '3', instanceid: '0', market_hash_name: 'Item' };
  return `"assets":${JSON.stringify([asset])},"descriptions":${JSON.stringify([description])}`;
}
