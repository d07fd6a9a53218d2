import type { ProjectId } from '@inventory/contracts/ids';

export interface ProjectAmount {
  readonly projectId: ProjectId;
  readonly amount: number;
}

/**
 * An amount for each Project. Immutable, so that a state stays valid while the next one is being
 * written; a tree over the random end of the ids, so that one change copies little of much.
 */
export type ProjectAmounts = Leaf | Branch;

type Leaf = { readonly leaf: readonly ProjectAmount[] };
type Branch = { readonly branch: readonly ProjectAmounts[] };

const leafMax = 16;
const emptyLeaf: Leaf = { leaf: [] };
/** Digits of the last group of a UUID. */
const depthMax = 12;

export const noAmounts: ProjectAmounts = emptyLeaf;

export function amountOf(amounts: ProjectAmounts, projectId: ProjectId): number {
  let node = amounts;
  for (let depth = 0; 'branch' in node; depth += 1) {
    node = node.branch[digitAt(projectId, depth)] ?? emptyLeaf;
  }
  return node.leaf.find((one) => one.projectId === projectId)?.amount ?? 0;
}

export function withAdded(
  amounts: ProjectAmounts,
  added: ProjectAmount,
  depth = 0,
): ProjectAmounts {
  if ('branch' in amounts) {
    const digit = digitAt(added.projectId, depth);
    const child = withAdded(amounts.branch[digit] ?? emptyLeaf, added, depth + 1);
    return { branch: amounts.branch.with(digit, child) };
  }
  const { leaf } = amounts;
  const index = leaf.findIndex((one) => one.projectId === added.projectId);
  const found = leaf[index];
  if (found) {
    const { projectId } = found;
    return { leaf: leaf.with(index, { projectId, amount: found.amount + added.amount }) };
  }
  if (leaf.length < leafMax || depth >= depthMax) return { leaf: [...leaf, added] };
  const branch = Array.from({ length: 16 }, () => emptyLeaf);
  return [...leaf, added].reduce<ProjectAmounts>((node, one) => withAdded(node, one, depth), {
    branch,
  });
}

/** In the order of their ids. */
export function listAmounts(amounts: ProjectAmounts): ProjectAmount[] {
  return collect(amounts).sort((left, right) => (left.projectId < right.projectId ? -1 : 1));
}

export function amountsOf(list: Iterable<ProjectAmount>): ProjectAmounts {
  let amounts = noAmounts;
  for (const one of list) amounts = withAdded(amounts, one);
  return amounts;
}

function collect(amounts: ProjectAmounts): ProjectAmount[] {
  return 'branch' in amounts ? amounts.branch.flatMap(collect) : [...amounts.leaf];
}

function digitAt(projectId: ProjectId, depth: number): number {
  return Number.parseInt(projectId.at(-1 - depth) ?? '', 16);
}
