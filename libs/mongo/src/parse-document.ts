import { Bug } from '@inventory/runtime/bug';
import type { Logger } from '@inventory/runtime/logger';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { FindCursor } from 'mongodb';
import { z } from 'zod';

/** The documents of one collection, as its store reads them. */
export interface DocumentSchema<Document> {
  readonly collection: string;
  readonly schema: z.ZodType<Document>;
}

/** The trace that a document continues; empty where tracing is off. */
export const storedTrace: z.ZodType<TraceCarrier> = z.object({
  traceparent: z.string().exactOptional(),
  tracestate: z.string().exactOptional(),
});

/** A stored document that does not satisfy its schema. Its contents are left out of the error. */
export class CorruptDocument extends Bug {
  override name = 'CorruptDocument';
  readonly code = 'corrupt_document';
  readonly collection: string;
  readonly documentId: string;
  /** Paths of the invalid fields. */
  readonly fields: readonly string[];

  constructor(collection: string, documentId: string, fields: readonly string[]) {
    super(`${collection} ${documentId}: invalid ${fields.join(', ')}`);
    this.collection = collection;
    this.documentId = documentId;
    this.fields = fields;
  }
}

const fieldsMax = 10;

/**
 * The document with the fields of its schema; unknown fields are left out. Throws
 * {@link CorruptDocument}. A store parses every document it reads, except on paths that read
 * thousands of documents for one request.
 */
export function parseDocument<Document>(
  { collection, schema }: DocumentSchema<Document>,
  document: { readonly _id: unknown },
): Document {
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'document');
  const distinct = [...new Set(fields)].slice(0, fieldsMax);
  throw new CorruptDocument(collection, String(document._id), distinct);
}

/**
 * Reads the documents of a work queue with a function that parses them. A corrupt one is logged and
 * left out, so that it does not block the others.
 */
export function readEach<Document, Value>(
  documents: readonly Document[],
  read: (document: Document) => Value,
  logger: Logger,
): Value[] {
  return documents.flatMap((document) => {
    try {
      return [read(document)];
    } catch (error) {
      if (!(error instanceof CorruptDocument)) throw error;
      logger.error({ err: error }, 'corrupt document skipped');
      return [];
    }
  });
}

/**
 * Reads the first `limit` values of a work queue, in the order of the query, with a function that
 * parses a document into its values. Corrupt documents are logged and do not count, so that any
 * number of them at the head of the queue blocks none after them.
 */
export async function readFirst<Document, Value>(
  query: FindCursor<Document>,
  limit: number,
  read: (document: Document) => readonly Value[],
  logger: Logger,
): Promise<Value[]> {
  const values: Value[] = [];
  for (let skipped = 0; ; skipped += limit) {
    const found = await query.clone().skip(skipped).limit(limit).toArray();
    values.push(...readEach(found, read, logger).flat());
    if (found.length < limit || values.length >= limit) return values.slice(0, limit);
  }
}
