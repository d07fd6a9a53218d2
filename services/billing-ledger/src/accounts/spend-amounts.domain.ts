import type { CredentialId, ProjectId } from '@inventory/contracts/ids';

/** Who can have a spend cap. */
export type SpenderId = ProjectId | CredentialId;

export interface SpendAmount {
  readonly spenderId: SpenderId;
  readonly amount: number;
}

/**
 * An amount for each Project and Credential. Immutable, so that a state stays valid while the next one
 * is being written; a tree over the random end of the ids, so that one change copies little of much.
 */
export type SpendAmounts = Leaf | Branch;

type Leaf = { readonly leaf: readonly SpendAmount[] };
type Branch = { readonly branch: readonly SpendAmounts[] };

const leafMax = 16;
const emptyLeaf: Leaf = { leaf: [] };
/** Digits of the last group of a UUID. */
const depthMax = 12;

export const noAmounts: SpendAmounts = emptyLeaf;

export function amountOf(amounts: SpendAmounts, spenderId: SpenderId): number {
  let node = amounts;
  for (let depth = 0; 'branch' in node; depth += 1) {
    node = node.branch[digitAt(spenderId, depth)] ?? emptyLeaf;
  }
  return node.leaf.find((one) => one.spenderId === spenderId)?.amount ?? 0;
}

export function withAdded(amounts: SpendAmounts, added: SpendAmount, depth = 0): SpendAmounts {
  if ('branch' in amounts) {
    const digit = digitAt(added.spenderId, depth);
    const child = withAdded(amounts.branch[digit] ?? emptyLeaf, added, depth + 1);
    return { branch: amounts.branch.with(digit, child) };
  }
  const { leaf } = amounts;
  const index = leaf.findIndex((one) => one.spenderId === added.spenderId);
  const found = leaf[index];
  if (found) {
    const { spenderId } = found;
    return { leaf: leaf.with(index, { spenderId, amount: found.amount + added.amount }) };
  }
  if (leaf.length < leafMax || depth >= depthMax) return { leaf: [...leaf, added] };
  const branch = Array.from({ length: 16 }, () => emptyLeaf);
  return [...leaf, added].reduce<SpendAmounts>((node, one) => withAdded(node, one, depth), {
    branch,
  });
}

/** In the order of their ids. */
export function listAmounts(amounts: SpendAmounts): SpendAmount[] {
  return collect(amounts).sort((left, right) => (left.spenderId < right.spenderId ? -1 : 1));
}

export function amountsOf(list: Iterable<SpendAmount>): SpendAmounts {
  let amounts = noAmounts;
  for (const one of list) amounts = withAdded(amounts, one);
  return amounts;
}

function collect(amounts: SpendAmounts): SpendAmount[] {
  return 'branch' in amounts ? amounts.branch.flatMap(collect) : [...amounts.leaf];
}

function digitAt(spenderId: SpenderId, depth: number): number {
  return Number.parseInt(spenderId.at(-1 - depth) ?? '', 16);
}
