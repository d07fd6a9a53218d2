import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type Api, type BrowserEnvironment, CallFailed } from '../api/call-api.ts';
import { pathOfInventory } from '../api/operations.ts';
import type { Asset, Description, ExportEnd, Scope } from '../api/wire-types.ts';
import { type Item, type ItemKind, itemKindOf, itemOf, kindKey } from './items.ts';

export interface LoadedItems {
  readonly revisionId: string;
  readonly items: readonly Item[];
  readonly creditsCharged: number | null;
  readonly sha256: string;
  /** The download as it was sent, its last line included. */
  readonly ndjson: Blob;
}

export interface LoadProgress {
  readonly rows: number;
  readonly rowsTotal: number;
  readonly bytes: number;
}

interface Loading {
  /** The same key reads again free of charge for ten minutes. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LoadProgress) => void;
}

const newline = 10;
/** Longest time without a byte of the download. */
const silenceMaxMs = 30_000;

/**
 * The whole saved inventory by one export: its items, and its bytes for a download. It is complete
 * only where the last line says so and the digest of the bytes before it is that of the service.
 */
export async function loadItems(api: Api, scope: Scope, loading: Loading): Promise<LoadedItems> {
  const { idempotencyKey, signal, onProgress } = loading;
  const response = await api.open({
    path: `${pathOfInventory(scope)}/current/export`,
    accept: 'application/x-ndjson',
    idempotencyKey,
    signal,
  });
  const rowsTotal = Number(response.headers.get('X-Export-Rows') ?? 0);
  const lines = createLineReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await readInTime(reader, api.environment);
    signal.throwIfAborted();
    if (chunk === undefined) throw new CallFailed({ kind: 'cut' });
    if (chunk.done) break;
    parts.push(chunk.value);
    bytes += chunk.value.length;
    lines.take(chunk.value);
    onProgress({ rows: lines.items.length, rowsTotal, bytes });
  }
  const end = lines.end();
  const charged = response.headers.get('X-Credits-Charged');
  return {
    revisionId: end.revision_id,
    items: lines.items,
    creditsCharged: charged === null ? null : Number(charged),
    sha256: end.sha256,
    ndjson: new Blob(parts, { type: 'application/x-ndjson' }),
  };
}

/** Undefined where the body is cut, or silent. */
async function readInTime(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined,
  { pause }: Pick<BrowserEnvironment, 'pause'>,
) {
  const done = new AbortController();
  const chunk = reader?.read().catch(() => undefined);
  const silence = pause(silenceMaxMs, done.signal).then(() => undefined);
  return await Promise.race([chunk, silence]).finally(() => done.abort());
}

/** The items of an export, whose bytes may be split anywhere. */
export function createLineReader() {
  const kinds = new Map<string, ItemKind>();
  const items: Item[] = [];
  const hash = sha256.create();
  const decoder = new TextDecoder();
  let rest = new Uint8Array();
  let end: ExportEnd | null = null;

  function takeLine(line: Uint8Array): void {
    const row = JSON.parse(decoder.decode(line)) as ExportLine;
    if ('end' in row) {
      end = row.end;
      return;
    }
    hash.update(line);
    const key = kindKey(row.asset);
    const known = kinds.get(key) ?? (row.description && itemKindOf(row.description));
    if (known) kinds.set(key, known);
    items.push(itemOf(row.asset, known));
  }

  return {
    items,
    take(chunk: Uint8Array): void {
      const bytes = rest.length === 0 ? chunk : joined(rest, chunk);
      let from = 0;
      for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
        takeLine(bytes.subarray(from, at + 1));
        from = at + 1;
      }
      rest = bytes.slice(from);
    },
    /** Throws where the download is cut, or is not what was sent. */
    end(): ExportEnd {
      if (end === null || rest.length > 0) throw new CallFailed({ kind: 'cut' });
      const isSame = end.rows === items.length && end.sha256 === bytesToHex(hash.digest());
      if (!isSame) throw new CallFailed({ kind: 'digest' });
      return end;
    },
  };
}

type ExportLine =
  | { readonly asset: Asset; readonly description: Description | null }
  | { readonly end: ExportEnd };

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
