import type { RevisionId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { ScanWindow } from '@inventory/contracts/messages/revision';
import { dateOf } from '@inventory/runtime/clock';
import { Binary } from 'mongodb';
import type { Observation } from '../domain/observation.ts';
import type { CompletedScan } from '../domain/scan.ts';
import type {
  ManifestFields,
  ObservationFields,
  WaitingScanDocument,
  WindowDocument,
} from './collections.ts';

function fromWindowDocument(window: WindowDocument): ScanWindow {
  return {
    startedAtMs: window.startedAt.getTime(),
    completedAtMs: window.completedAt.getTime(),
  };
}

function toWindowDocument(window: ScanWindow): WindowDocument {
  return { startedAt: dateOf(window.startedAtMs), completedAt: dateOf(window.completedAtMs) };
}

export function fromObservationFields(fields: ObservationFields): Observation {
  const { observationId, revision, language, reportedTotalCount, texts } = fields;
  const window = fromWindowDocument(fields.window);
  const ownEndMs = fields.source === 'refresh' ? window.completedAtMs : null;
  return {
    observationId,
    revision: {
      ...revision,
      chain: revision.chain === undefined ? rootOf(revision.revisionId) : revision.chain,
      joins: revision.joins ?? [],
    },
    source: fields.source,
    sequence: fields.sequence ?? null,
    scannedUntilMs: fields.scannedUntil?.getTime() ?? ownEndMs,
    language,
    scanWindow: window,
    reportedTotalCount,
    texts: mapTexts(texts, ({ rowSetId = null, ...set }) => ({ ...set, rowSetId })),
  };
}

export function toObservationFields(observation: Observation): ObservationFields {
  const { observationId, revision, source, language, reportedTotalCount, texts } = observation;
  const { sequence, scannedUntilMs } = observation;
  return {
    observationId,
    revision: { ...revision, joins: [...revision.joins] },
    source,
    ...(sequence === null ? {} : { sequence }),
    ...(scannedUntilMs === null ? {} : { scannedUntil: dateOf(scannedUntilMs) }),
    language,
    window: toWindowDocument(observation.scanWindow),
    reportedTotalCount,
    texts: mapTexts(texts, ({ rowSetId, ...set }) => ({
      ...set,
      ...(rowSetId === null ? {} : { rowSetId }),
    })),
  };
}

/** A revision from before there were chains is the first of its own. */
const rootOf = (revisionId: RevisionId) => ({ root: revisionId, ordinal: 0 });

function mapTexts<From, To>(
  texts: Readonly<Partial<Record<Language, From>>>,
  map: (set: From) => To,
): Partial<Record<Language, To>> {
  return Object.fromEntries(
    Object.entries(texts).map(([language, set]) => [language, map(set)]),
  ) as Partial<Record<Language, To>>;
}

export function toManifest(scan: CompletedScan): ManifestFields {
  return {
    source: scan.source,
    ...(scan.sequence === null ? {} : { sequence: scan.sequence }),
    platformId: scan.scope.platform_id,
    appId: scan.scope.app_id,
    contextId: scan.scope.context_id,
    language: scan.language,
    window: toWindowDocument(scan.scanWindow),
    reportedTotalCount: scan.reportedTotalCount,
    pages: scan.pages,
  };
}

export function fromManifest(document: WaitingScanDocument): CompletedScan {
  const { manifest } = document;
  const { platformId, appId, contextId, language, reportedTotalCount, pages } = manifest;
  return {
    scanId: document._id,
    refreshId: document.refreshId,
    source: manifest.source,
    sequence: manifest.sequence ?? null,
    scope: { platform_id: platformId, app_id: appId, context_id: contextId },
    language,
    scanWindow: fromWindowDocument(manifest.window),
    reportedTotalCount,
    pages,
  };
}

/** Numbers as bytes, little-endian as on every machine this runs on. */
export function toNumberBytes(numbers: Uint32Array | Uint16Array): Binary {
  return new Binary(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

/** A copy, because bytes inside a reply are not aligned. */
export function toUint32(bytes: Binary): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes.buffer).buffer);
}

export function toUint16(bytes: Binary): Uint16Array {
  return new Uint16Array(Uint8Array.from(bytes.buffer).buffer);
}

/** The bytes of a binary field, without a copy. */
export function bufferOf(binary: Binary): Buffer {
  return Buffer.from(binary.buffer.buffer, binary.buffer.byteOffset, binary.length());
}
