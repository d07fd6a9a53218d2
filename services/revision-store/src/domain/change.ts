import type { ChangeCounts } from '@inventory/contracts/messages/revision';
import type { StagedAsset } from '@inventory/contracts/staged-rows';
import { type JoinedTexts, offsetsIn } from './joined-texts.ts';
import { assetIdentity, descriptionKey } from './page-survey.ts';
import { sha256Text } from './sha256.ts';

/** One asset that two revisions have differently: its row in each, as text; null where it is not in it. */
export interface Change {
  readonly key: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
}

/** Consecutive changes of a set, stored together: of each the row before and after, length 0 for none. */
export interface ChangeBlock {
  readonly index: number;
  readonly before: JoinedTexts;
  readonly after: JoinedTexts;
}

/** The inventory as rows name it. */
export interface RowScope {
  readonly appid: number;
  readonly contextid: string;
}

/**
 * The key by which changes are ordered, as text: `assetid` ascending as an integer, an asset before
 * the currency row with the same number. Rows that no inventory has (of another application, with an
 * `assetid` that is no number) come last, by their digest. At most 100 characters.
 */
export function keyOfChange(identity: string, scope: RowScope): string {
  const [appid, contextid, kind, assetid] = JSON.parse(identity) as [
    number,
    string,
    'asset' | 'currency',
    string,
  ];
  const isPlain = appid === scope.appid && contextid === scope.contextid;
  if (!isPlain || !/^[0-9]{1,40}$/.test(assetid)) return `~${sha256Text(identity)}`;
  const digits = assetid.replace(/^0+(?=.)/, '');
  const zeros = assetid.length - digits.length;
  const size = String(digits.length).padStart(2, '0');
  // Joined, not a template: of several hundred thousand keys each would keep its pieces.
  return [size, digits, kind.charAt(0), zeros === 0 ? '' : zeros].join('');
}

/** The row of a text. */
export function rowIn(text: Buffer): StagedAsset {
  return JSON.parse(text.toString()) as StagedAsset;
}

/** What changed of an asset that was changed several times, oldest first; null when nothing did. */
export function composeChange(changes: readonly Change[]): Change | null {
  const [first] = changes;
  const last = changes.at(-1);
  if (!first || !last) return null;
  const { key, before } = first;
  const { after } = last;
  if (before === null && after === null) return null;
  const isSame = changes.length > 1 && before && after && isSameOwnership(before, after);
  return isSame ? null : { key, before, after };
}

function isSameOwnership(before: Buffer, after: Buffer): boolean {
  const [one, other] = [rowIn(before), rowIn(after)];
  return one.amount === other.amount && descriptionKey(one) === descriptionKey(other);
}

/** The changes of a block, in order. */
export function changesOf(
  { before, after }: ChangeBlock,
  keyOf: (identity: string) => string,
): Change[] {
  const [befores, afters] = [textsIn(before), textsIn(after)];
  return befores.map((text, row) => {
    const other = afters[row] ?? null;
    const present = text ?? other;
    return { key: present ? keyOf(assetIdentity(rowIn(present))) : '', before: text, after: other };
  });
}

function textsIn({ bytes, lengths }: JoinedTexts): (Buffer | null)[] {
  const { offsets } = offsetsIn(lengths);
  return Array.from(lengths, (length, row) => {
    const start = offsets[row] ?? 0;
    return length === 0 ? null : bytes.subarray(start, start + length);
  });
}

/** The rows of a block after its changes. */
export function rowsAfter({ after }: ChangeBlock): Buffer[] {
  return textsIn(after).filter((text) => text !== null);
}

/** The join keys of the descriptions that rows need, in order of first need. */
export function neededKeys(rows: readonly Buffer[]): string[] {
  return [...new Set(rows.map((row) => descriptionKey(rowIn(row))))];
}

export function kindOf({ before, after }: Change): keyof ChangeCounts {
  if (before === null) return 'added';
  return after === null ? 'removed' : 'changed';
}

export function changeBytes({ before, after }: Change): number {
  return (before?.length ?? 0) + (after?.length ?? 0);
}
