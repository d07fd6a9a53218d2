import type { AccountId, ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import type { HeldProduct, LedgerAsset, RefreshOutcome } from '@inventory/contracts/vocabulary';
import type { PageProduct } from '../prices/price-list.domain.ts';
import type { Configuration } from './terms.domain.ts';

interface Addressed {
  /** Derived by the sender, so that a command sent again is the same command. */
  readonly commandId: string;
  readonly accountId: AccountId;
}

interface Purchase extends Addressed {
  /**
   * When it was written to its topic, in milliseconds since the epoch. It is no content: a command
   * that is sent again has another one.
   */
  readonly sentAt: number;
}

export interface ReserveCommand extends Purchase {
  readonly kind: 'reserve';
  readonly projectId: ProjectId;
  readonly refreshId: RefreshId;
  readonly requestId: RequestId;
  readonly productCode: HeldProduct;
  /** The hold is never above it, in credits or units. */
  readonly maxCredits: number;
}

export interface SettleCommand extends Addressed {
  readonly kind: 'settle';
  readonly projectId: ProjectId;
  readonly refreshId: RefreshId;
  readonly outcome: RefreshOutcome;
  readonly observedAssets: number | null;
}

export interface ReleaseCommand extends Addressed {
  readonly kind: 'release';
  readonly projectId: ProjectId;
  readonly refreshId: RefreshId;
}

export interface ChargeCommand extends Purchase {
  readonly kind: 'charge';
  readonly projectId: ProjectId;
  readonly requestId: RequestId;
  readonly productCode: PageProduct;
  readonly pages: number;
}

export interface ReverseCommand extends Addressed {
  readonly kind: 'reverse';
  readonly projectId: ProjectId;
  readonly requestId: RequestId;
}

/** An operator's change of what an account has; `adjust` may be negative. */
export interface IssueCommand extends Addressed {
  readonly kind: 'grant' | 'adjust';
  readonly requestId: RequestId;
  readonly asset: LedgerAsset;
  readonly amount: number;
  readonly reason: string;
}

/** A change of how the account pays, what limits it, or when its owner is warned. */
export interface ConfigureCommand extends Addressed {
  readonly kind: 'configure';
  readonly requestId: RequestId;
  readonly change: Configuration;
  readonly reason: string | null;
}

export type Command =
  | ReserveCommand
  | SettleCommand
  | ReleaseCommand
  | ChargeCommand
  | ReverseCommand
  | IssueCommand
  | ConfigureCommand;
export type CommandKind = Command['kind'];

/**
 * What a command may be answered under at most once per account. Settle and release share the
 * key of their refresh: a hold has one resolution, whichever comes first.
 */
export function commandKey(command: Command): string {
  switch (command.kind) {
    case 'settle':
    case 'release':
      return resolutionKey(command.refreshId);
    default:
      return command.commandId;
  }
}

export const reservationKey = (refreshId: RefreshId): string => `reserve:${refreshId}`;
export const resolutionKey = (refreshId: RefreshId): string => `resolve:${refreshId}`;
export const chargeKey = (requestId: RequestId): string => `charge:${requestId}`;
