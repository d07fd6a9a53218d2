/** A refresh that arrives in a simulated mix. */
export interface Arrival {
  readonly atMs: number;
  readonly accountId: string;
  readonly appId: number;
  /** Pages it really has. */
  readonly pages: number;
  /** Pages that its last saved observation had; null where there is none. */
  readonly pagesKnown: number | null;
  /** Arrivals of one inventory share this; without it the arrival has an inventory of its own. */
  readonly inventory?: string;
}

/** An identity that is refused by the platform, or does not reach it, for a time. */
export interface IdentityLoss {
  /** Its number, from 0. */
  readonly identity: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly result: 'throttled' | 'unreachable';
}

/** What arrives, and on what it is read. */
export interface Mix {
  readonly name: string;
  readonly arrivals: readonly Arrival[];
  readonly identities: number;
  /** Of the identities, how many never reach the platform. */
  readonly deadIdentities: number;
  /** Times in which identities do not serve, beside those that never do. */
  readonly losses?: readonly IdentityLoss[];
  readonly replicas: number;
  /** Part of the slots that live pages request. */
  readonly liveShare: number;
  /** Applications whose every page fails. */
  readonly downApps: readonly number[];
  /** When they are down; always where absent. */
  readonly downTime?: { readonly fromMs: number; readonly untilMs: number };
  /** Refreshes that have to complete at least; 0 where only the ratios count. */
  readonly completedMin: number;
}
