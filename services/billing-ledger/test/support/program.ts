import type { AccountId, CredentialId, ProjectId, RequestId } from '@inventory/contracts/ids';
import type { BillingConfiguration } from '@inventory/contracts/messages/billing';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import {
  heldProducts,
  type LedgerAsset,
  type RefreshOutcome,
  refreshOutcomes,
} from '@inventory/contracts/vocabulary';
import fc from 'fast-check';
import type { BillingCommandKind, Command, CommandOf } from '../../src/accounts/command.domain.ts';
import { createPriceBook, firstPriceList } from '../../src/prices/price-list.domain.ts';

/** One command of a program and the world it meets. */
export interface Step {
  readonly command: Command;
  readonly now: number;
}
export type Program = readonly Step[];

const uuid = (text: string, number: number) =>
  `0190${text}-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const accounts = [0, 1].map((number): AccountId => `acc_${uuid('aaaa', number)}`);
const projects = [0, 1].map((number): ProjectId => `prj_${uuid('bbbb', number)}`);
const credentials = [0, 1].map((number): CredentialId => `cred_${uuid('eeee', number)}`);
/** The same in both accounts: whatever their senders do, accounts are apart. */
const refreshOf = (number: number) => uuid('cccc', number);
const requestOf = (number: number): RequestId => `req_${uuid('dddd', number)}`;

export const startMs = firstPriceList.effectiveAtMs + 1_000_000;
/** Takes effect in the middle of most programs; dearer in each. */
export const secondPriceList: PriceList = {
  version: 3,
  effectiveAtMs: startMs + 10_000,
  refreshReservation: 200,
  refreshBlock: 3,
  refreshBlockAssets: 1_000,
  refreshDiagnostic: 5,
  watchChangedBlock: 4,
  watchUnchangedBlock: 2,
  livePage: 2,
  currentPage: 4,
};
/** Was announced for a later time than the one that replaced it: it is never in force. */
const replacedPriceList: PriceList = {
  ...secondPriceList,
  version: 2,
  effectiveAtMs: secondPriceList.effectiveAtMs + 15_000,
  refreshReservation: 150,
  livePage: 7,
};
export const priceLists = [firstPriceList, replacedPriceList, secondPriceList];
export const prices = createPriceBook(priceLists);

export const observedCounts = [0, 1, 1_999, 2_000, 2_001, 250_000, 250_001, 777_777, 2 ** 53 - 1];
const grantAmounts = [1, 124, 125, 126, 200, 1_000, 1_000_000_000_000, 2 ** 53 - 1_000];
const adjustAmounts = [-1, 1, -125, -124, 0, 500, -1_000_000_000_000];
const dayMs = 86_400_000;
/** Below, at and above the reservations of both price lists. */
const maxCreditLimits = [1_000_000, 125, 200, 150, 7, 1_000];
/**
 * How long before it is evaluated a command is written to its topic; some have waited, some come
 * from a broker whose clock is ahead, a little or impossibly far.
 */
const delays = [0, 2, 4_000, 0, 12_000, 25_000, -3_000, 5_000_000, -60_000, 400 * dayMs];
/** Months begin often: the program starts in one that ends in thirty days. */
const clockMoves = [0, 1, 3, 4_000, 20_000, -5_000, 3_600_000, 20 * dayMs, 33 * dayMs];
const kinds = [
  'reserve',
  'settle',
  'charge',
  'grant',
  'reverse',
  'release',
  'adjust',
  'reserve',
  'settle',
  'reserve',
  'settle',
  'configure',
  'configure',
] as const;
/** Null of a sender of an earlier version. One Credential buys for both Projects. */
const buyers = [credentials[0] ?? null, null, credentials[1] ?? null];
/** The second Project has few purchases, the first one many. */
const configurations: readonly BillingConfiguration[] = [
  { sets: 'funding', funding: { mode: 'subscription', unitsPerMonth: 400 } },
  { sets: 'funding', funding: { mode: 'credits' } },
  { sets: 'spend_cap', projectId: projects[0] ?? 'prj_', cap: 260 },
  { sets: 'balance_alert', threshold: 200 },
  { sets: 'funding', funding: { mode: 'subscription', unitsPerMonth: 130 } },
  { sets: 'spend_cap', projectId: projects[0] ?? 'prj_', cap: 127 },
  { sets: 'balance_alert', threshold: 1_000 },
  { sets: 'spend_cap', projectId: projects[1] ?? 'prj_', cap: 0 },
  { sets: 'spend_cap', projectId: projects[0] ?? 'prj_', cap: null },
  { sets: 'balance_alert', threshold: null },
  { sets: 'funding', funding: { mode: 'subscription', unitsPerMonth: 2 ** 52 } },
  { sets: 'credential_spend_cap', credentialId: credentials[0] ?? 'cred_', cap: 130 },
  { sets: 'credential_spend_cap', credentialId: credentials[0] ?? 'cred_', cap: 1 },
  { sets: 'credential_spend_cap', credentialId: credentials[0] ?? 'cred_', cap: null },
  { sets: 'credential_spend_cap', credentialId: credentials[1] ?? 'cred_', cap: 2 },
];

/**
 * A program is a list of numbers, each decoded into one step: small numbers are plain steps, so a
 * failing program shrinks towards few, plain commands.
 */
export const programs: fc.Arbitrary<Program> = fc
  .array(fc.nat({ max: 2 ** 40 }), { minLength: 1, maxLength: 24, size: 'max' })
  .map(decodeProgram);

export function decodeProgram(numbers: readonly number[]): Program {
  let now = startMs;
  const opening: Step[] = accounts.flatMap((accountId, index) => [
    openingGrant(accountId, 'credits', (numbers[0] ?? 0) + index),
    openingGrant(accountId, 'units', (numbers[0] ?? 0) + index + 3),
  ]);
  const steps = numbers.map((number): Step => {
    const next = digits(number);
    const command = decodeCommand(next);
    now += clockMoves[next(clockMoves.length)] ?? 0;
    return { command: { ...command, writtenAtMs: now - pick(delays, next) }, now };
  });
  return [...opening, ...steps];
}

function openingGrant(accountId: AccountId, asset: LedgerAsset, number: number): Step {
  const amount = [1_000, 125, 124, 249, 250, 3_000][number % 6] ?? 0;
  const commandId = `grant:opening-${asset}`;
  const booking = { requestId: requestOf(0), asset, amount, reason: 'opening' };
  return { command: commandOf('grant', { commandId, accountId, ...booking }), now: startMs };
}

/** Takes digits of a number, in whatever base is asked for next. */
function digits(number: number): (base: number) => number {
  let rest = number;
  return (base) => {
    const digit = rest % base;
    rest = Math.floor(rest / base);
    return digit;
  };
}

function decodeCommand(next: (base: number) => number): Command {
  const kind = pick(kinds, next);
  const subject = next(5);
  // Mostly the first account and the first content: repetitions and conflicts must be frequent.
  const account = next(4) === 3 ? 1 : 0;
  const accountId = accounts[account] ?? 'acc_';
  const isVariant = next(6) === 5;
  const projectId = projects[isVariant ? 1 : 0] ?? 'prj_';
  const refreshId = refreshOf(subject);
  const requestId = requestOf(subject % 4);
  switch (kind) {
    case 'reserve': {
      const commandId = `reserve:${refreshId}`;
      const productCode = pick(heldProducts, next);
      const maxCredits = pick(maxCreditLimits, next);
      const credentialId = pick(buyers, next);
      const subjects = { commandId, accountId, projectId, credentialId, refreshId, requestId };
      const times = { deadlineAtMs: startMs, retryAfterSeconds: 25 };
      return commandOf(kind, { ...subjects, productCode, maxCredits, ...times });
    }
    case 'settle': {
      const commandId = `settle:${refreshId}`;
      const outcome = pick(refreshOutcomes, next);
      const observedAssets = isComplete(outcome) ? pick(observedCounts, next) : null;
      const subjects = { commandId, accountId, projectId, refreshId };
      return commandOf(kind, { ...subjects, outcome, observedAssets });
    }
    case 'release': {
      const commandId = `release:${refreshId}`;
      return commandOf(kind, { commandId, accountId, projectId, refreshId });
    }
    case 'charge': {
      const productCode = isVariant
        ? 'platform.inventory.current.page.v1'
        : 'platform.inventory.page.v1';
      const commandId = `charge:${requestId}`;
      const pageCount = pick([null, 1, 3], next);
      const credentialId = pick(buyers, next);
      return commandOf(kind, {
        commandId,
        accountId,
        projectId,
        credentialId,
        requestId,
        productCode,
        pageCount,
      });
    }
    case 'reverse': {
      const commandId = `reverse:${requestId}`;
      return commandOf(kind, { commandId, accountId, projectId, requestId });
    }
    case 'grant':
    case 'adjust': {
      const asset: LedgerAsset = isVariant ? 'units' : 'credits';
      const amount = pick(kind === 'grant' ? grantAmounts : adjustAmounts, next);
      const commandId = `${kind}:${subject}`;
      const reason = `because ${subject}`;
      return commandOf(kind, { commandId, accountId, requestId, asset, amount, reason });
    }
    case 'configure': {
      const choice = next(configurations.length);
      const change = configurations[choice] as BillingConfiguration;
      const commandId = isVariant ? `configure:${subject}` : `configure:${subject}:${choice}`;
      return commandOf(kind, { commandId, accountId, requestId, change, reason: null });
    }
  }
}

/** A command that was written to its topic in the beginning. */
export function commandOf<Kind extends BillingCommandKind>(
  kind: Kind,
  body: CommandOf<Kind>['body'],
) {
  return { type: `billing.${kind}.v1`, body, writtenAtMs: startMs } as CommandOf<Kind>;
}

/** The same command with other content. */
export function withBody<Sent extends Command>(command: Sent, body: Partial<Sent['body']>): Sent {
  return { ...command, body: { ...command.body, ...body } };
}

export function isComplete(outcome: RefreshOutcome): boolean {
  return outcome === 'complete_changed' || outcome === 'complete_unchanged';
}

function pick<Value>(values: readonly Value[], next: (base: number) => number): Value {
  return values[next(values.length)] as Value;
}
