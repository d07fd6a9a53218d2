/** Somebody who wants to ask the platform something. */
export interface IdentityClaim {
  readonly accountId: string;
  /** Live pages are waited for by a client and go before scans. */
  readonly live: boolean;
  /** Identities that must not be used for it. */
  readonly avoid: readonly string[];
  /** Grows with every claim. */
  readonly order: number;
}

/**
 * Who gets the next free identity: live pages first, then the account that was served longest
 * ago, then whoever came first.
 */
export function nextClaim<Claim extends IdentityClaim>(
  claims: readonly Claim[],
  lastServed: ReadonlyMap<string, number>,
): Claim | undefined {
  const servedAt = (claim: Claim) => lastServed.get(claim.accountId) ?? 0;
  return claims.toSorted(
    (left, right) =>
      Number(right.live) - Number(left.live) ||
      servedAt(left) - servedAt(right) ||
      left.order - right.order,
  )[0];
}
