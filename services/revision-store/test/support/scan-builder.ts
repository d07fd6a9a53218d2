import { createHash } from 'node:crypto';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { MessageBody } from '@inventory/contracts/messages';
import type { ScanWindow } from '@inventory/contracts/messages/revision';
import type { StagedAsset, StagedDescription } from '@inventory/contracts/staged-rows';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newAccountId, newRefreshId } from '@inventory/testkit/builders';
import type { CompletedScan } from '../../src/domain/scan.ts';

export interface ScanPage {
  readonly assets: readonly StagedAsset[];
  readonly descriptions: readonly StagedDescription[];
}

/** A scan before it is staged. */
export interface Scan {
  readonly scanId: string;
  readonly refreshId: string | null;
  readonly source: 'refresh' | 'capture';
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly sequence?: number;
  readonly scanWindow: ScanWindow;
  readonly reportedTotalCount: number;
  readonly epoch: number;
  /** The text of each page, cut into chunks. */
  readonly pages: readonly (readonly Buffer[])[];
}

export interface ScanOptions {
  readonly scope: InventoryKey;
  readonly pages: readonly ScanPage[];
  readonly language?: Language;
  readonly source?: 'refresh' | 'capture';
  readonly sequence?: number;
  readonly startedAtMs?: number;
  readonly completedAtMs?: number;
  readonly reportedTotalCount?: number;
  readonly chunkBytes?: number;
  readonly epoch?: number;
}

export function newScan(options: ScanOptions): Scan {
  const completedAtMs = options.completedAtMs ?? Date.now();
  const { chunkBytes = 2 * 1024 * 1024, source = 'refresh' } = options;
  return {
    scanId: systemIdentifiers.uuidV7(),
    refreshId: source === 'refresh' ? newRefreshId() : null,
    source,
    scope: options.scope,
    language: options.language ?? 'english',
    ...(options.sequence === undefined ? {} : { sequence: options.sequence }),
    scanWindow: { startedAtMs: options.startedAtMs ?? completedAtMs - 5_000, completedAtMs },
    reportedTotalCount: options.reportedTotalCount ?? 0,
    epoch: options.epoch ?? 1,
    pages: options.pages.map((page) => cut(Buffer.from(JSON.stringify(page)), chunkBytes)),
  };
}

export function asset(assetid: string, overrides: Partial<StagedAsset> = {}): StagedAsset {
  return {
    appid: 730,
    contextid: '2',
    assetid,
    classid: '501',
    instanceid: '0',
    amount: '1',
    ...overrides,
  };
}

export function description(
  classid: string,
  instanceid = '0',
  overrides: Record<string, unknown> = {},
): StagedDescription {
  const name = `Blade ${classid}/${instanceid}`;
  return { appid: 730, classid, instanceid, market_hash_name: name, tradable: 1, ...overrides };
}

/** One page of assets numbered from `from`, all of one class. */
export function plainPage(from: number, to: number, classid = '501'): ScanPage {
  const assets = Array.from({ length: to - from }, (_, at) =>
    asset(String(90071992547409931n + BigInt(from + at)), { classid }),
  );
  return { assets, descriptions: [description(classid)] };
}

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export function completedMessage(scan: Scan): MessageBody<'revision.completed.v1'> {
  return { accountId: newAccountId(), ...completedScan(scan) };
}

export function completedScan(scan: Scan): CompletedScan {
  const { scanId, source, scope, language, sequence = null, reportedTotalCount, epoch } = scan;
  const { refreshId, scanWindow } = scan;
  return {
    scanId,
    refreshId,
    source,
    scope,
    language,
    sequence,
    scanWindow,
    reportedTotalCount,
    pages: scan.pages.map((chunks, page) => ({
      page,
      epoch,
      chunks: chunks.map((chunk) => ({ digest: digestOf(chunk), bytes: chunk.length })),
    })),
  };
}

function cut(text: Buffer, chunkBytes: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < text.length; at += chunkBytes) {
    chunks.push(text.subarray(at, at + chunkBytes));
  }
  return chunks;
}
