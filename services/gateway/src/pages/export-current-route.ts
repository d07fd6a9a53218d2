import { type exportEnd, exportEndTrailer, exportQuery } from '@inventory/contracts/http/export';
import { scopePath } from '@inventory/contracts/http/parameters';
import type { AccountId } from '@inventory/contracts/ids';
import { type ExportFormat, exportFormats } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { invariant, unreachable } from '@inventory/runtime/bug';
import type { z } from 'zod';
import type { DeliverySlots } from '../http/delivery/delivery-slots.ts';
import { exampleIds, exampleRows } from '../http/openapi/examples.ts';
import type { AdmittedRequest, StreamedResponse } from '../http/public-response.ts';
import { publicRoute } from '../http/public-route.ts';
import type { DeliverySlot } from '../http/request-state.ts';
import { billHeaders } from '../http/v1/v1-headers.ts';
import { exportsSent } from '../metrics.ts';
import type { KeyedRead } from './keyed-reads.ts';
import {
  ExportExpired,
  exportBody,
  type OpenedExport,
  openExport,
  type WantedExport,
} from './open-export.ts';
import type { PageServices } from './open-pages.ts';
import { billOf } from './page-bill.ts';
import { refusePage, replayed, toLanguageHeaders } from './page-response.ts';
import { keyHeader, languageHeaders, readErrors, replayedHeader } from './page-texts.ts';
import { sendExport } from './send-export.ts';

const product = 'platform.inventory.current.page.v1';
const retryAfterSeconds = 5;
const endExample: z.input<typeof exportEnd> = {
  revision_id: exampleIds.revision,
  rows: 1,
  sha256: '98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4',
};

/** GET …/current/export: the whole saved inventory in one download. */
export const exportCurrentRoute = publicRoute({
  operationId: 'exportCurrent',
  tag: 'Inventories',
  summary: 'Export',
  description:
    'All assets of the latest saved revision, each with its description, as one line of NDJSON ' +
    '(`{"asset":…,"description":…}`) or CSV. The last line of NDJSON is `{"end":{"revision_id",' +
    `"rows","sha256"}}\`, the trailer \`${exportEndTrailer}\` of CSV says the same: a download ` +
    'without it is cut. Over HTTP/1.0 CSV has no trailer. A text of CSV that a spreadsheet would ' +
    'take for a formula has an apostrophe before it. An export is charged as its pages, one for ' +
    'each started 2,000 rows. Resume with `from_row`: free under the `Idempotency-Key` of the ' +
    'download that was cut, or paid for the rows that are left, with its `observation_id`.',
  method: 'GET',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/current/export',
  permission: product,
  product,
  types: Object.keys(exportFormats),
  isLong: true,
  input: { path: scopePath, query: exportQuery, header: keyHeader },
  response: {
    status: 200,
    description: 'Lines, and the end. The charge is final once the first byte is sent.',
    body: { text: 'application/x-ndjson' },
    example: [
      { asset: exampleRows.assets[0], description: exampleRows.descriptions[0] },
      { end: endExample },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
    otherTypes: { 'text/csv': 'assetid,classid,instanceid,appid,contextid,amount,…\r\n' },
    headers: {
      'X-Revision-ID': 'The revision.',
      'X-Observation-ID': 'What a resumed download names as `observation_id`.',
      'X-Export-Rows': 'Lines of this download.',
      'X-Credits-Charged': 'What the download costs.',
      'X-Credits-Remaining': 'Credits available after it.',
      'X-Units-Charged': 'Subscription units that it costs, for accounts with them.',
      'X-Units-Remaining': 'Subscription units available after it.',
      'Content-Disposition': 'Of CSV: the name of the file.',
      Trailer: 'Of CSV over HTTP/1.1: the name of the trailer with the end.',
      ...languageHeaders,
      ...replayedHeader,
    },
  },
  errors: ['cursor_expired', 'inventory_revision_not_found', ...readErrors],
  async handle(services: PageServices, { path: scope, query, header }, request) {
    const { type, signal } = request;
    const { language, fromRow, observationId = null } = query;
    const format = exportFormats[type as keyof typeof exportFormats];
    const wanted = { scope, language, format, fromRow, observationId, signal };
    const key = header['Idempotency-Key'];
    const inputs = [...Object.values(scope), language, format];
    const slot = acquireSlot(services.exportSlots, request);
    try {
      const read = await openExport(
        services,
        request,
        wanted,
        key === undefined ? null : { route: 'export', key, inputs },
      );
      return toResponse(services, request, { wanted, read, slot });
    } catch (error) {
      slot.release();
      throw error;
    }
  },
});

function acquireSlot(
  slots: DeliverySlots<AccountId>,
  { principal, close }: AdmittedRequest,
): DeliverySlot {
  const permit = slots.acquire(principal.accountId, 1, close);
  switch (permit.result) {
    case 'key_full':
      throw new Refused({
        code: 'rate_limit_exceeded',
        detail: { limit: 'concurrency', reads_max: slots.limits.perKeyMax },
        retry_after_seconds: retryAfterSeconds,
      });
    case 'total_full':
      throw new Refused({ code: 'service_unavailable', retry_after_seconds: retryAfterSeconds });
    case 'granted':
      return permit.slot;
    default:
      return unreachable(permit);
  }
}

interface ReadExport {
  readonly wanted: WantedExport;
  readonly read: KeyedRead<OpenedExport>;
  readonly slot: DeliverySlot;
}

function toResponse(
  services: PageServices,
  request: AdmittedRequest,
  { wanted, read, slot }: ReadExport,
): StreamedResponse {
  if (read.result === 'refused') throw refusePage(read.refusal);
  const delivery = read.result === 'charged' ? read.delivery : null;
  const { scope, language, format, signal } = wanted;
  const { page } = read;
  const { observationId } = page.first.meta;
  const coding = request.acceptedCoding();
  let end: string | undefined;
  const findNext = (position: number) =>
    services.revisions.findLines(scope, { language, format, position, observationId }, signal);
  const body = exportBody(page, format, findNext, (reached) => {
    end = reached;
  });
  const trailers = (): Record<string, string> => {
    invariant(end !== undefined, 'a body that was read to its end has one');
    return format === 'csv' ? { [exportEndTrailer]: end } : {};
  };
  const headers: Record<string, string> = {
    ...headersOf(page, format),
    ...(read.result === 'free'
      ? {}
      : billHeaders('alias', billOf(read, services.prices.currentVersion()))),
    ...(read.result === 'replayed' && replayed),
    ...(coding && { 'Content-Encoding': coding }),
  };
  const { exportTimeMaxMs: timeMaxMs, clock, logger } = services;
  return {
    status: 200,
    async stream(response) {
      // Without chunks a body has no trailer.
      if (response.req.httpVersion === '1.0') delete headers['Trailer'];
      const sent = { headers, coding, body, trailers, delivery, slot, timeMaxMs, clock };
      await sendExport(response, sent)
        .then(() => exportsSent.add(1, { end: 'completed' }))
        .catch((error: unknown) => {
          exportsSent.add(1, { end: error instanceof ExportExpired ? 'expired' : 'cut' });
          if (!response.headersSent) throw error;
          logger.info({ err: error, requestId: request.requestId }, 'export cut');
        })
        .finally(slot.release);
    },
  };
}

function headersOf(
  { first: { meta }, rows, fromRow }: OpenedExport,
  format: ExportFormat,
): Record<string, string> {
  const ofCsv = {
    'Content-Type': `text/csv; charset=utf-8; header=${fromRow === 0 ? 'present' : 'absent'}`,
    'Content-Disposition': 'attachment; filename="inventory.csv"',
    Trailer: exportEndTrailer,
  };
  return {
    ...(format === 'csv' ? ofCsv : { 'Content-Type': 'application/x-ndjson; charset=utf-8' }),
    Vary: 'Accept, Accept-Encoding',
    'X-Revision-ID': meta.revisionId,
    'X-Observation-ID': meta.observationId,
    'X-Export-Rows': String(rows),
    ...toLanguageHeaders(meta.language),
  };
}
