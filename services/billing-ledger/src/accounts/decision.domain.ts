import type { BillingRefusal } from '@inventory/contracts/refusal';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import type { Entry } from './entry.domain.ts';
import { nothingMoved } from './movement.domain.ts';

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
export type Decision = Details & Pick<Entry, Given> & { readonly refusal?: BillingRefusal };

/** Nothing moves; the refusal is kept, so that the same command is refused for ever. */
export function refuse(details: Details, refusal: BillingRefusal): Decision {
  return { ...details, kind: 'refuse', change: nothingMoved, refusal };
}
