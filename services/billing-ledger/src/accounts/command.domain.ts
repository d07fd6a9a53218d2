import type { RefreshId, RequestId } from '@inventory/contracts/ids';
import type { BillingCommands } from '@inventory/contracts/messages/billing';

/** What the ledger is commanded to do, by the type of the message. */
export const commandKinds = {
  'billing.reserve.v1': 'reserve',
  'billing.settle.v1': 'settle',
  'billing.release.v1': 'release',
  'billing.charge.v1': 'charge',
  'billing.reverse.v1': 'reverse',
  'billing.grant.v1': 'grant',
  'billing.adjust.v1': 'adjust',
  'billing.configure.v1': 'configure',
} as const satisfies Readonly<Record<string, BillingCommandKind>>;
type CommandType = keyof typeof commandKinds;
export type BillingCommandKind = keyof BillingCommands;

interface Sent<Type extends CommandType> {
  readonly type: Type;
  readonly body: BillingCommands[(typeof commandKinds)[Type]];
  /** It is not content: a command that is sent again has another one. */
  readonly writtenAtMs: number;
}

/** A command is its message. */
export type Command = { [Type in CommandType]: Sent<Type> }[CommandType];
export type CommandOf<Kind extends BillingCommandKind> = Extract<
  Command,
  { readonly type: `billing.${Kind}.v1` }
>;

/**
 * The result of a command is recorded under this key at most once per account. Settle and release
 * share the key of their refresh: a hold has one resolution, whichever comes first.
 */
export function commandKey({ type, body }: Command): string {
  switch (type) {
    case 'billing.settle.v1':
    case 'billing.release.v1':
      return resolutionKey(body.refreshId);
    default:
      return body.commandId;
  }
}

export const reservationKey = (refreshId: RefreshId): string => `reserve:${refreshId}`;
export const resolutionKey = (refreshId: RefreshId): string => `resolve:${refreshId}`;
export const chargeKey = (requestId: RequestId): string => `charge:${requestId}`;
