import { savedSummary } from '@inventory/contracts/http/summary';
import {
  type CurrentPageMeta,
  chunkDigestHeader,
  currentPageMeta,
  currentPageMetaHeader,
  inventoryApi,
  packedPageBeginning,
} from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { MessageBody } from '@inventory/contracts/messages';
import type { ManifestPage, SavedObservation } from '@inventory/contracts/messages/revision';
import { type ContentCoding, exportFormat } from '@inventory/contracts/vocabulary';
import { createLineJoiner } from '@inventory/http/line-run';
import { packEnd } from '@inventory/http/packed-body';
import { unpackers } from '@inventory/testkit/unpackers';
import type { z } from 'zod';
import { digestOf, type Scan } from './scan-builder.ts';

export interface PageQuery {
  readonly language?: string;
  readonly page_size?: number;
  readonly position?: number;
  readonly descriptions?: 'page' | 'none';
  readonly coding?: ContentCoding;
  readonly revision_id?: string;
  readonly observation_id?: string;
}

export interface GivenPage {
  readonly status: number;
  readonly code: string | undefined;
  readonly meta: CurrentPageMeta;
  /** The received bytes, and their parsed content. */
  readonly text: string;
  readonly assets: Record<string, unknown>[];
  readonly descriptions: Record<string, unknown>[];
}

/** The revision-store's HTTP side, as its fellow services use it. */
export interface StoreClient {
  putChunk(
    position: string,
    body: Buffer,
    digest?: string,
    options?: { readonly source?: 'refresh' | 'capture'; readonly inventory_epoch?: string },
  ): Promise<{ status: number; code?: string }>;
  /** What is read before the first page of a scan. */
  epoch(scope: InventoryKey): Promise<string>;
  stage(scan: Scan): Promise<void>;
  /** What is staged under a scan's epoch. */
  staged(scan: Pick<Scan, 'scanId' | 'epoch'>): Promise<{ status: number; pages: ManifestPage[] }>;
  page(scope: InventoryKey, query?: PageQuery): Promise<GivenPage>;
  assets(
    scope: InventoryKey,
    query: Pick<PageQuery, 'descriptions'> & { readonly assetid: readonly string[] },
  ): Promise<GivenPage>;
  /** The lines of a run, joined. */
  lines(scope: InventoryKey, query: Readonly<Record<string, string | number>>): Promise<GivenPage>;
  /** Every page of a chain, pinned as the gateway pins it. */
  chain(scope: InventoryKey, query?: PageQuery): Promise<GivenPage[]>;
  /** What was observed last; null where nothing is saved. */
  observation(scope: InventoryKey): Promise<SavedObservation | null>;
  /** What is saved, without its rows; null where nothing is. */
  summary(scope: InventoryKey): Promise<z.output<typeof savedSummary> | null>;
  /** Makes everything saved of it so much older; when it was verified then. */
  age(scope: InventoryKey, seconds: number): Promise<number | string | null>;
  erase(scope: InventoryKey): Promise<number>;
}

export const chunkPathOf = (scan: Scan, page: number, chunk: number): string =>
  `/scans/${scan.scanId}/epochs/${scan.epoch}/pages/${page}/chunks/${chunk}`;

/** The query that continues from what was saved, or read. */
export const pinTo = ({ revisionId, observationId }: Pinned) => ({
  revision_id: revisionId,
  observation_id: observationId,
});
type Pinned = Pick<MessageBody<'revision.committed.v1'>, 'revisionId' | 'observationId'>;

const inventoryPath = ({ platform_id, app_id, context_id }: InventoryKey) =>
  `/inventories/${platform_id}/${app_id}/${context_id}`;

/** The members of a packed page, ended as a response that has nothing but them. */
function unpack(bytes: Buffer, packed: NonNullable<CurrentPageMeta['packed']>): string {
  const end = Buffer.from('}}');
  const whole = Buffer.concat([bytes, packEnd(packed, end)]);
  return unpackers[packed.coding](whole).toString().slice(packedPageBeginning.length, -end.length);
}

export function createStoreClient(url: string): StoreClient {
  async function putChunk(
    position: string,
    body: Buffer,
    digest = digestOf(body),
    options: Parameters<StoreClient['putChunk']>[3] = {},
  ) {
    const response = await fetch(`${url}${position}?${new URLSearchParams({ ...options })}`, {
      method: 'PUT',
      headers: { [chunkDigestHeader]: digest },
      body: new Uint8Array(body),
    });
    const text = await response.text();
    return { status: response.status, ...(text ? { code: JSON.parse(text).error.code } : {}) };
  }

  async function epoch(scope: InventoryKey): Promise<string> {
    const response = await fetch(`${url}${inventoryPath(scope)}/epoch`);
    return inventoryApi.readEpoch.response.parse(await response.json()).inventoryEpoch;
  }

  const page: StoreClient['page'] = (scope, query) =>
    read(scope, 'page', { language: 'english', page_size: 2000, ...query });

  async function read(
    scope: InventoryKey,
    part: string,
    query: object,
    parse: (text: string, bytes: Buffer) => object = (text) => JSON.parse(`{${text}}`),
  ): Promise<GivenPage> {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, String(one)]),
      ),
    );
    const response = await fetch(`${url}${inventoryPath(scope)}/${part}?${search}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) {
      return {
        status: response.status,
        code: JSON.parse(bytes.toString()).error.code,
      } as GivenPage;
    }
    const meta = currentPageMeta.parse(
      JSON.parse(response.headers.get(currentPageMetaHeader) ?? ''),
    );
    const text = meta.packed ? unpack(bytes, meta.packed) : bytes.toString();
    return { status: 200, code: undefined, meta, text, ...parse(text, bytes) } as GivenPage;
  }

  async function lines(
    scope: InventoryKey,
    query: Parameters<StoreClient['lines']>[1],
  ): Promise<GivenPage> {
    const wanted = { language: 'english', ...query };
    return await read(scope, 'lines', wanted, (_, bytes) => {
      const pieces = createLineJoiner(exportFormat.parse(query['format']))([bytes]);
      return { text: Array.from(pieces, String).join('') };
    });
  }

  return {
    putChunk,
    page,
    lines,
    assets: (scope, query) => read(scope, 'assets', { language: 'english', ...query }),
    epoch,
    async stage(scan) {
      const options = { source: scan.source, inventory_epoch: await epoch(scan.scope) };
      for (const [number, chunks] of scan.pages.entries()) {
        for (const [chunk, bytes] of chunks.entries()) {
          const position = chunkPathOf(scan, number, chunk);
          const { status } = await putChunk(position, bytes, digestOf(bytes), options);
          if (status !== 204) throw new Error(`staging answered ${status}`);
        }
      }
    },
    async staged({ scanId, epoch }) {
      const response = await fetch(`${url}/scans/${scanId}/epochs/${epoch}/pages`);
      return { status: response.status, ...((await response.json()) as { pages: ManifestPage[] }) };
    },
    async chain(scope, query = {}) {
      const first = await page(scope, query);
      const pages = [first];
      for (let at = first.meta.nextPosition; at !== null; ) {
        const next = await page(scope, { ...query, position: at, ...pinTo(first.meta) });
        pages.push(next);
        at = next.meta.nextPosition;
      }
      return pages;
    },
    async observation(scope) {
      const response = await fetch(`${url}${inventoryPath(scope)}/observation`);
      return response.status === 404
        ? null
        : inventoryApi.readObservation.response.parse(await response.json());
    },
    async age(scope, seconds) {
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const body = JSON.stringify({ seconds });
      const response = await fetch(`${url}${inventoryPath(scope)}/age`, { ...sent, body });
      const json = await response.json();
      if (response.status !== 200) return (json as { error: { code: string } }).error.code;
      return inventoryApi.ageInventory.response.parse(json).verifiedAtMs;
    },
    async summary(scope) {
      const response = await fetch(`${url}${inventoryPath(scope)}/summary`);
      return response.status === 404 ? null : savedSummary.parse(await response.json());
    },
    async erase(scope) {
      return (await fetch(`${url}${inventoryPath(scope)}`, { method: 'DELETE' })).status;
    },
  };
}
