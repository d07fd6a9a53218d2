import { z } from 'zod';
import { accountId, refreshId } from '../ids.ts';
import { language } from '../languages.ts';
import { defineMessage } from '../message.ts';
import { scope } from '../scope.ts';

const topic = 'revision.commands.v1';
const key = (body: { scan_id: string }): string => body.scan_id;

/** One staged page of a scan, named by what was stored, so that nothing else can be assembled. */
export const manifestPage = z.object({
  /** Grows from page to page; the number of a page that was read again is left out. */
  page: z.int().min(0),
  epoch: z.int().min(1),
  chunks: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(1) })),
});
export type ManifestPage = z.infer<typeof manifestPage>;

/**
 * Who read the pages: a scan of ours, or a customer page by page. Of a capture `scan_window` begins
 * with its chain, and it has no refresh.
 */
export const scanSource = z.enum(['refresh', 'capture']);

/** A scan read every page to the end: assemble exactly these pages and save the result. */
export const revisionScanCompleted = defineMessage({
  type: 'revision.completed.v1',
  topic,
  key,
  body: z.object({
    scan_id: z.uuid(),
    refresh_id: refreshId.nullable(),
    /** Absent in records from before there were captures: a refresh. */
    source: scanSource.optional(),
    account_id: accountId,
    scope,
    language,
    scan_window: z.object({ started_at: z.iso.datetime(), completed_at: z.iso.datetime() }),
    /** The platform's own count; hidden items make it larger than what can be seen. */
    reported_total_count: z.int().min(0),
    pages: z.array(manifestPage).max(250),
  }),
});

/** A scan will not be completed; what it staged can be dropped. Loses against a commit under way. */
export const revisionScanAbandoned = defineMessage({
  type: 'revision.abandoned.v1',
  topic,
  key,
  body: z.object({ scan_id: z.uuid(), refresh_id: refreshId.nullable() }),
});
