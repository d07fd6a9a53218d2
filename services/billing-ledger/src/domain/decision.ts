import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import type { Entry, Refusal } from './entry.ts';
import { nothingMoved } from './movement.ts';

type Given = 'kind' | 'asset' | 'change';
type Optional = Exclude<
  keyof Entry,
  | Given
  | 'seq'
  | 'at'
  | 'command'
  | 'commandId'
  | 'after'
  | 'refusal'
  | 'creditsAvailable'
  | 'lowBalance'
  | 'opening'
>;

/** The fields of an entry about its command, beside the refusal. */
export type Details = { readonly asset: LedgerAsset } & Partial<Pick<Entry, Optional>>;

/** An entry without its position in the journal. */
export type Decision = Details & Pick<Entry, Given> & { readonly refusal?: Refusal };

/** Nothing moves; the refusal is kept, so that the same command is refused for ever. */
export function refuse(details: Details, refusal: Refusal): Decision {
  return { ...details, kind: 'refuse', change: nothingMoved, refusal };
}

export function refusal(
  code: Refusal['code'],
  amounts: { required: number; available: number } | null = null,
): Refusal {
  return {
    code,
    required: amounts?.required ?? null,
    available: amounts?.available ?? null,
    limit: null,
  };
}
