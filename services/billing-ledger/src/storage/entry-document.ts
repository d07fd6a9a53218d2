import type { ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import type { BillingRefusal } from '@inventory/contracts/refusal';
import type {
  LedgerAsset,
  ProductCode,
  RefreshOutcome,
  SettlementDisposition,
} from '@inventory/contracts/vocabulary';
import { dateOf } from '@inventory/runtime/clock';
import type { Balances } from '../domain/balances.ts';
import type { Entry } from '../domain/entry.ts';
import type { EntryKind } from '../domain/movement.ts';
import { noOpening } from '../domain/open-period.ts';
import type { LowBalance } from '../domain/terms.ts';
import {
  type ConfigurationDocument,
  fromConfigurationDocument,
  toConfigurationDocument,
} from './configuration-document.ts';

/** Balances as stored: what is 0 is left out. */
export type BalancesDocument = { -readonly [Place in keyof Balances]?: number | undefined };

/** An entry as stored: what is null, or follows from the other fields, is left out. */
export interface EntryDocument {
  readonly seq: number;
  readonly at: Date;
  readonly kind: EntryKind;
  command?: Entry['command'];
  commandId?: string;
  precludes?: string;
  readonly asset: LedgerAsset;
  readonly change: BalancesDocument;
  readonly after: BalancesDocument;
  productCode?: ProductCode;
  priceVersion?: number;
  projectId?: ProjectId;
  refreshId?: RefreshId;
  requestId?: RequestId;
  maxCredits?: number;
  amount?: number;
  reason?: string;
  outcome?: RefreshOutcome;
  observedAssets?: number;
  disposition?: SettlementDisposition;
  refusal?: BillingRefusal;
  configured?: ConfigurationDocument;
  pastPeriod?: number;
  creditsAvailable?: number;
  lowBalance?: LowBalance;
}

export function toEntryDocument(entry: Entry): EntryDocument {
  const document: EntryDocument = {
    seq: entry.seq,
    at: dateOf(entry.at),
    kind: entry.kind,
    asset: entry.asset,
    change: toBalancesDocument(entry.change),
    after: toBalancesDocument(entry.after),
  };
  if (entry.command !== entry.kind) document.command = entry.command;
  if (entry.commandId !== derivedCommandId(entry.command, entry)) {
    document.commandId = entry.commandId;
  }
  if (entry.precludes !== null) document.precludes = entry.precludes;
  if (entry.productCode !== null) document.productCode = entry.productCode;
  if (entry.priceVersion !== null) document.priceVersion = entry.priceVersion;
  if (entry.projectId !== null) document.projectId = entry.projectId;
  if (entry.refreshId !== null) document.refreshId = entry.refreshId;
  if (entry.requestId !== null) document.requestId = entry.requestId;
  if (entry.maxCredits !== null) document.maxCredits = entry.maxCredits;
  if (entry.amount !== null) document.amount = entry.amount;
  if (entry.reason !== null) document.reason = entry.reason;
  if (entry.outcome !== null) document.outcome = entry.outcome;
  if (entry.observedAssets !== null) document.observedAssets = entry.observedAssets;
  if (entry.disposition !== null) document.disposition = entry.disposition;
  if (entry.refusal !== null) document.refusal = entry.refusal;
  if (entry.configured !== null) {
    document.configured = toConfigurationDocument(entry.configured);
  }
  if (entry.pastPeriod !== null) document.pastPeriod = entry.pastPeriod;
  if (entry.creditsAvailable !== null) document.creditsAvailable = entry.creditsAvailable;
  if (entry.lowBalance !== null) document.lowBalance = entry.lowBalance;
  return document;
}

export function fromEntryDocument(document: EntryDocument): Entry {
  const command = document.command ?? commandNamedAs(document.kind);
  return {
    seq: document.seq,
    at: document.at.getTime(),
    kind: document.kind,
    command,
    commandId: document.commandId ?? derivedCommandId(command, document),
    precludes: document.precludes ?? null,
    asset: document.asset,
    change: fromBalancesDocument(document.change),
    after: fromBalancesDocument(document.after),
    productCode: document.productCode ?? null,
    priceVersion: document.priceVersion ?? null,
    projectId: document.projectId ?? null,
    refreshId: document.refreshId ?? null,
    requestId: document.requestId ?? null,
    maxCredits: document.maxCredits ?? null,
    amount: document.amount ?? null,
    reason: document.reason ?? null,
    outcome: document.outcome ?? null,
    observedAssets: document.observedAssets ?? null,
    disposition: document.disposition ?? null,
    refusal: document.refusal ?? null,
    configured: document.configured ? fromConfigurationDocument(document.configured) : null,
    pastPeriod: document.pastPeriod ?? null,
    creditsAvailable: document.creditsAvailable ?? null,
    lowBalance: document.lowBalance ?? null,
    opening: noOpening,
  };
}

export function toBalancesDocument(balances: Balances): BalancesDocument {
  const document: BalancesDocument = {};
  if (balances.available !== 0) document.available = balances.available;
  if (balances.held !== 0) document.held = balances.held;
  if (balances.consumed !== 0) document.consumed = balances.consumed;
  if (balances.expired !== 0) document.expired = balances.expired;
  if (balances.issued !== 0) document.issued = balances.issued;
  return document;
}

export function fromBalancesDocument(document: BalancesDocument): Balances {
  return {
    available: document.available ?? 0,
    held: document.held ?? 0,
    consumed: document.consumed ?? 0,
    expired: document.expired ?? 0,
    issued: document.issued ?? 0,
  };
}

/** The id of a command about a refresh or a page; an operator's commands have ids of their own. */
function derivedCommandId(
  command: Entry['command'],
  subject: { readonly refreshId?: string | null; readonly requestId?: string | null },
): string {
  switch (command) {
    case 'reserve':
    case 'settle':
    case 'release':
      return `${command}:${subject.refreshId ?? ''}`;
    default:
      return `${command}:${subject.requestId ?? ''}`;
  }
}

function commandNamedAs(kind: EntryKind): Entry['command'] {
  if (kind === 'refuse') throw new RangeError('a refusal names its command');
  return kind;
}
