import { Bug } from '@inventory/runtime/bug';
import type { Logger } from '@inventory/runtime/logger';
import type { z } from 'zod';

/** The documents of one collection, as its store reads them. */
export interface DocumentSchema<Document> {
  readonly collection: string;
  readonly schema: z.ZodType<Document>;
}

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
  logger: Pick<Logger, 'error'>,
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
