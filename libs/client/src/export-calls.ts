import { createHash } from 'node:crypto';
import { checkOptions } from './arguments.ts';
import type { OpenBody } from './body-transport.ts';
import type { ClientEnvironment } from './client-environment.ts';
import {
  ApiError,
  ConnectionError,
  ExportNotFinishedError,
  InventoryError,
  UnexpectedAnswerError,
} from './errors.ts';
import type { ExportProgress } from './export-progress.ts';
import type { ExportOptions, ReadAllOptions } from './options.ts';
import { paidRead, readKeyMs } from './paid-read.ts';
import { inventoryPath, withQuery } from './paths.ts';
import { fieldsIn, isReplayed } from './read-answer.ts';
import type { DescribedAsset, Scope, WholeInventory } from './records.ts';
import { retryDelayMs } from './retry-policy.ts';

export interface ExportCalls {
  /**
   * All assets of one saved revision, read in one download as the loop takes them. A download that is
   * cut is resumed while that is free under its key, and rejects with {@link ExportNotFinishedError}
   * past that. Ends only where count and digest are those that the service sent: rejects otherwise, and
   * what was read is not whole.
   */
  export(scope: Scope, options?: ExportOptions): AsyncGenerator<DescribedAsset, void, void>;
  /** The same as lines of JSON with their ends, byte for byte as the service sends them. */
  exportLines(scope: Scope, options?: ExportOptions): AsyncGenerator<Uint8Array, void, void>;
  /** The same as one array, once it is whole. */
  readAll(scope: Scope, options?: ReadAllOptions): Promise<WholeInventory>;
}

/** Above every line: an asset and a description, 12 MiB each at most. */
const lineBytesMax = 64 * 1024 * 1024;
const lineFeed = 0x0a;
/** As often as the service lets a key be used again. */
const resumesMax = 3;
const silenceDefaultMs = 45_000;

/** What the loop takes of a row. */
type RowOf<Row> = (asset: DescribedAsset, line: Uint8Array) => Row;

export function createExportCalls(
  openBody: OpenBody,
  { newKey, nowMs, chance, pause }: ClientEnvironment,
): ExportCalls {
  /** Calls back with each position, the first one at the head of the response. */
  async function* download<Row>(
    scope: Scope,
    options: ExportOptions & { readonly idempotencyKey: string },
    rowOf: RowOf<Row>,
    onPosition: (position: ExportProgress, isReplay?: boolean) => void,
  ): AsyncGenerator<Row, void, void> {
    const { language, fromRow = 0, observationId, idempotencyKey, signal } = options;
    const { silenceMaxMs = silenceDefaultMs } = options;
    const parameters = { language, fromRow: fromRow || undefined, observationId };
    const path = withQuery(`${inventoryPath(scope)}/current/export`, parameters);
    let position: ExportProgress | undefined;
    const bytes = openBody({
      call: paidRead(path, idempotencyKey),
      headers: {},
      silenceMaxMs,
      signal,
      type: 'application/x-ndjson',
      onHead(headers) {
        position = positionAt(headers, fromRow);
        onPosition(position, isReplayed(headers));
      },
    });
    const digest = createHash('sha256');
    for await (const line of splitLines(bytes)) {
      const value = fieldsIn(parsed(line));
      if (value === null || position === undefined) throw unexpected('a line');
      if (value['end'] !== undefined) {
        const end = { rows: position.row - fromRow, sha256: digest.digest('hex') };
        return requireEnd(fieldsIn(value['end']), end);
      }
      if (fieldsIn(value['asset']) === null) throw unexpected('a line');
      digest.update(line);
      position = { ...position, row: position.row + 1 };
      onPosition(position);
      yield rowOf(value as unknown as DescribedAsset, line);
    }
    throw new ConnectionError('The download ended before its end.');
  }

  async function* exported<Row>(
    scope: Scope,
    options: ExportOptions,
    rowOf: RowOf<Row>,
  ): AsyncGenerator<Row, void, void> {
    checkOptions(options);
    const { idempotencyKey = newKey() } = options;
    let position: ExportProgress | undefined;
    let freeUntilMs = nowMs() + readKeyMs;
    for (let failures = 1; ; failures += 1) {
      try {
        const rest = position && { fromRow: position.row, observationId: position.observationId };
        const from = { ...options, idempotencyKey, ...rest };
        return yield* download(scope, from, rowOf, (next, isReplay) => {
          // A key that was given and paid before this call may be void at any time.
          const isGiven = options.idempotencyKey !== undefined;
          if (isGiven && isReplay && position === undefined) freeUntilMs = 0;
          position = next;
          options.onProgress?.(next);
        });
      } catch (error) {
        if (!(error instanceof InventoryError) || !error.retryable) throw error;
        const retryAfterSeconds = error instanceof ApiError ? error.retryAfterSeconds : null;
        const delayMs = retryDelayMs({ failures, retryAfterSeconds, chance: chance() });
        if (failures > resumesMax || nowMs() + delayMs >= freeUntilMs) {
          throw position === undefined ? error : new ExportNotFinishedError(position, error);
        }
        await pause(delayMs, options.signal);
      }
    }
  }

  return {
    export: (scope, options = {}) => exported(scope, options, (asset) => asset),
    exportLines: (scope, options = {}) => exported(scope, options, (_asset, line) => line),
    async readAll(scope, options = {}) {
      checkOptions(options);
      const rows: DescribedAsset[] = [];
      const of = { revisionId: '', observationId: '' };
      const onProgress = (progress: ExportProgress) => {
        Object.assign(of, progress);
        options.onProgress?.(progress);
      };
      const all = exported(scope, { ...options, onProgress }, (asset) => asset);
      for await (const row of all) rows.push(row);
      return { revisionId: of.revisionId, observationId: of.observationId, rows };
    },
  };
}

function positionAt(headers: Headers, row: number): ExportProgress {
  const [revisionId, observationId] = [
    headers.get('x-revision-id'),
    headers.get('x-observation-id'),
  ];
  const rows = headers.get('x-export-rows') ?? '';
  if (revisionId === null || observationId === null || !/^[0-9]{1,15}$/.test(rows)) {
    throw unexpected('the head');
  }
  return { revisionId, observationId, row, rows: row + Number(rows) };
}

function requireEnd(
  end: Readonly<Record<string, unknown>> | null,
  read: { readonly rows: number; readonly sha256: string },
): void {
  if (end?.['rows'] !== read.rows || end['sha256'] !== read.sha256) {
    throw unexpected('the count or the digest');
  }
}

function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(line).toString());
  } catch {
    return null;
  }
}

function unexpected(what: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(`The export has not what it should: ${what}.`);
}

/** Whole lines with their ends; bytes after the last one are none. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const rest = chunk.subarray(start, end + 1);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      [begun, begunBytes, start] = [[], 0, end + 1];
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    begunBytes += chunk.length - start;
    if (begunBytes > lineBytesMax) throw new UnexpectedAnswerError('A line is too large.');
  }
}
