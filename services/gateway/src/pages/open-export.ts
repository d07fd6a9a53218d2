import { createHash } from 'node:crypto';
import { exportEnd } from '@inventory/contracts/http/export';
import type { ObservationId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { Refusal } from '@inventory/contracts/refusal';
import { type ExportFormat, exportColumns, pageAssetsMax } from '@inventory/contracts/vocabulary';
import { bytesOf } from '@inventory/http/byte-parts';
import { createLineJoiner } from '@inventory/http/line-run';
import { Refused } from '@inventory/http/refused';
import { csvLine } from '@inventory/runtime/csv-text';
import { z } from 'zod';
import type { AdmittedRequest } from '../http/public-response.ts';
import { buyerOf } from '../tenancy/principal.domain.ts';
import { type KeyedRead, type ReadKey, readKeyed } from './keyed-reads.ts';
import type { PageServices } from './open-pages.ts';
import type { FetchedPage } from './page-charges.ts';
import type { SavedPage } from './revision-store-client.ts';

export interface WantedExport {
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly format: ExportFormat;
  readonly fromRow: number;
  /** Null for the latest. */
  readonly observationId: ObservationId | null;
  readonly signal: AbortSignal;
}

/** An export of one observation, with its first run of lines. */
export interface OpenedExport {
  readonly first: SavedPage;
  readonly fromRow: number;
  readonly rows: number;
}

const refused = (refusal: Refusal) => ({ result: 'refused', refusal }) as const;
const beyondEnd = { in: 'query', field: 'from_row', reason: 'is beyond the end' } as const;

/**
 * Finds what is exported and charges its pages. A key stands for the rows that its first attempt paid
 * for: a replay is of the same observation, from any of these rows on.
 */
export function openExport(
  services: PageServices,
  { requestId, principal }: AdmittedRequest,
  wanted: WantedExport,
  key: ReadKey | null,
): Promise<KeyedRead<OpenedExport>> {
  const { scope, fromRow, signal, ...lines } = wanted;

  async function open(observationId: ObservationId | null): Promise<FetchedPage<OpenedExport>> {
    const query = { ...lines, position: fromRow, observationId };
    const first = await services.revisions
      .findLines(scope, query, signal)
      .catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        throw new Refused({ code: 'invalid_request', detail: { issues: [beyondEnd] } });
      });
    if (first === null) {
      return refused({ code: observationId ? 'cursor_expired' : 'inventory_revision_not_found' });
    }
    const rows = first.meta.totalCount - fromRow;
    const page = { first, fromRow, rows };
    if (rows === 0) return { result: 'free', page };
    const pages = Math.ceil(rows / pageAssetsMax);
    return { result: 'page', page, pages, bytes: bytesOf(first.parts) };
  }

  return readKeyed<OpenedExport>(
    services,
    {
      requestId,
      ...buyerOf(principal),
      productCode: 'platform.inventory.current.page.v1',
      chainId: null,
      // Its slot bounds it.
      hold: () => null,
    },
    key,
    {
      async paid(pin) {
        const opened = await open(wanted.observationId);
        if (opened.result === 'page') await pin(pinOf(opened.page));
        return opened;
      },
      async replayed(_onPlatformContacted, pin) {
        const paid = paidFor(pin);
        if (paid === null || !isWithin(wanted, paid)) {
          return refused({ code: 'idempotency_conflict' });
        }
        return await open(paid.observationId);
      },
    },
  );
}

interface PaidRows {
  readonly observationId: ObservationId;
  readonly fromRow: number;
}

function pinOf({ first, fromRow }: OpenedExport): string {
  return `${first.meta.observationId} ${fromRow}`;
}

/** Null where the first attempt stored nothing. */
function paidFor(pin: string | null): PaidRows | null {
  const [observationId, fromRow] = pin?.split(' ') ?? [];
  if (observationId === undefined) return null;
  return { observationId: observationId as ObservationId, fromRow: Number(fromRow) };
}

function isWithin({ fromRow, observationId }: WantedExport, paid: PaidRows): boolean {
  return fromRow >= paid.fromRow && (observationId ?? paid.observationId) === paid.observationId;
}

/** What is read of an export is gone: it was erased or pruned. */
export class ExportExpired extends Refused {
  override name = 'ExportExpired';

  constructor() {
    super({ code: 'cursor_expired' });
  }
}

/**
 * The bytes of an export before any compression: lines, then the end. They are joined as they are taken,
 * so other requests are served between; what is taken overwrites what was taken before. The next
 * run is read while one is sent, and no further: a slow client has two in memory. A CSV has its header at
 * row 0, so that what is resumed can be appended; the text of its end is passed to `onEnd` alone.
 */
export async function* exportBody(
  { first, fromRow, rows }: OpenedExport,
  format: ExportFormat,
  findNext: (position: number) => Promise<SavedPage | null>,
  onEnd: (end: string) => void,
): AsyncGenerator<Buffer, void, void> {
  const digest = createHash('sha256');
  const join = createLineJoiner(format);
  if (format === 'csv' && fromRow === 0) {
    digest.update(csvHeader);
    yield csvHeader;
  }
  for (let run: SavedPage | null = first; run !== null; ) {
    const next: number | null = run.meta.nextPosition;
    const coming: Promise<SavedPage | null> | null = next === null ? null : findNext(next);
    // Awaited after this run, unless the client leaves before.
    coming?.catch(() => {});
    for (const lines of join(run.parts)) {
      digest.update(lines);
      yield lines;
    }
    run = await coming;
    if (coming !== null && run === null) throw new ExportExpired();
  }
  const { revisionId } = first.meta;
  const end = z.encode(exportEnd, { revisionId, rows, sha256: digest.digest('hex') });
  const text = JSON.stringify(end);
  onEnd(text);
  if (format === 'ndjson') yield Buffer.from(`{"end":${text}}\n`);
}

const csvHeader = Buffer.from(csvLine([...exportColumns.asset, ...exportColumns.description]));
