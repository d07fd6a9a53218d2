import type { ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import type {
  LedgerAsset,
  ProductCode,
  RefreshOutcome,
  SettlementDisposition,
} from '@inventory/contracts/vocabulary';
import { dateOf } from '@inventory/runtime/clock';
import type { Balances } from '../domain/balances.ts';
import type { CommandKind } from '../domain/command.ts';
import type { Entry, Refusal } from '../domain/entry.ts';
import type { EntryKind } from '../domain/movement.ts';

/** Balances as stored: what is 0 is left out. */
export type BalancesDocument = { -readonly [Place in keyof Balances]?: number };

/** An entry as stored: what is null, or follows from the other fields, is left out. */
export interface EntryDocument {
  readonly seq: number;
  readonly at: Date;
  readonly kind: EntryKind;
  command?: CommandKind;
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
  amount?: number;
  reason?: string;
  outcome?: RefreshOutcome;
  observedAssets?: number;
  disposition?: SettlementDisposition;
  refusal?: { readonly code: Refusal['code']; required?: number; available?: number };
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
  if (entry.amount !== null) document.amount = entry.amount;
  if (entry.reason !== null) document.reason = entry.reason;
  if (entry.outcome !== null) document.outcome = entry.outcome;
  if (entry.observedAssets !== null) document.observedAssets = entry.observedAssets;
  if (entry.disposition !== null) document.disposition = entry.disposition;
  if (entry.refusal !== null) document.refusal = toRefusalDocument(entry.refusal);
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
    amount: document.amount ?? null,
    reason: document.reason ?? null,
    outcome: document.outcome ?? null,
    observedAssets: document.observedAssets ?? null,
    disposition: document.disposition ?? null,
    refusal: document.refusal ? fromRefusalDocument(document.refusal) : null,
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
  command: CommandKind,
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

function toRefusalDocument(refusal: Refusal): NonNullable<EntryDocument['refusal']> {
  return {
    code: refusal.code,
    ...(refusal.required === null ? {} : { required: refusal.required }),
    ...(refusal.available === null ? {} : { available: refusal.available }),
  };
}

function fromRefusalDocument(document: NonNullable<EntryDocument['refusal']>): Refusal {
  return {
    code: document.code,
    required: document.required ?? null,
    available: document.available ?? null,
  };
}

function commandNamedAs(kind: EntryKind): CommandKind {
  if (kind === 'refuse') throw new RangeError('a refusal names its command');
  return kind;
}
