import { applyEntry } from '../../src/accounts/account.domain.ts';
import { type Balances, plus } from '../../src/accounts/balances.domain.ts';
import { commandKey } from '../../src/accounts/command.domain.ts';
import type { EvaluationContext } from '../../src/accounts/decision.domain.ts';
import type { Entry } from '../../src/accounts/entry.domain.ts';
import { type Evaluation, evaluate } from '../../src/accounts/evaluate.domain.ts';
import { fundingAsset } from '../../src/accounts/terms.domain.ts';
import { createPriceBook } from '../../src/prices/price-list.domain.ts';
import type { InvariantName } from './invariants.ts';
import { afterwards, type Call, faulty, moving, type PlantedFault } from './planted-fault.ts';
import { plantedMonthFaults } from './planted-month-faults.ts';
import { priceLists, withBody } from './program.ts';
import { productRules } from './run-program.ts';

/** Judged against an account that looks richer than it is. */
function richer([account, command, context]: Call, by: Partial<Balances>): Evaluation {
  const asset = fundingAsset(account.terms.funding);
  const lent = plus(account.balances[asset], { ...zero, ...by });
  const balances = { ...account.balances, [asset]: lent };
  const evaluation = evaluate({ ...account, balances }, command, context);
  if (evaluation.result !== 'new' || evaluation.entry.asset !== asset) {
    return evaluate(account, command, context);
  }
  return moving(evaluation, [account, command, context], evaluation.entry.change);
}

const zero: Balances = { available: 0, held: 0, consumed: 0, expired: 0, issued: 0 };

const withContext = (call: Call, change: Partial<EvaluationContext>): Evaluation =>
  evaluate(call[0], call[1], { ...call[2], ...change });

const resolutions = ['settle', 'release'] as const;

export const plantedFaults: readonly PlantedFault[] = [
  afterwards(1, 'a release does not return the amount', ['release'], (evaluation, call) =>
    moving(evaluation, call, { ...evaluation.entry.change, available: 0 }),
  ),
  faulty(2, 'a reservation is made on credit', (call) =>
    call[1].type === 'billing.reserve.v1'
      ? richer(call, { available: 500, issued: 500 })
      : evaluate(...call),
  ),
  afterwards(3, 'a settled hold stays open', resolutions, (evaluation, [before]) => ({
    ...evaluation,
    account: { ...evaluation.account, holds: before.holds },
  })),
  faulty(4, 'a started block is not charged', (call) => {
    const [account, command, context] = call;
    if (command.type !== 'billing.settle.v1' || command.body.observedAssets === null)
      return evaluate(...call);
    const observedAssets = command.body.observedAssets - (command.body.observedAssets % 1_000);
    const evaluation = evaluate(account, withBody(command, { observedAssets }), context);
    if (evaluation.result !== 'new') return evaluation;
    const { entry } = evaluation;
    return { ...evaluation, entry: { ...entry, observedAssets: command.body.observedAssets } };
  }),
  faulty(5, 'open holds count as available', (call) => {
    const [account, command] = call;
    const { held } = account.balances[fundingAsset(account.terms.funding)];
    const by = { available: held, issued: held };
    return command.type === 'billing.reserve.v1' ? richer(call, by) : evaluate(...call);
  }),
  faulty(6, 'a re-emitted answer carries the present time', (call) => {
    const evaluation = evaluate(...call);
    if (evaluation.result === 'new') return evaluation;
    return { ...evaluation, entry: { ...evaluation.entry, atMs: call[2].now } };
  }),
  afterwards(7, 'a refused command costs what there is', ['refuse'], (evaluation, call) => {
    const { available } = call[0].balances[evaluation.entry.asset];
    const change = { ...zero, available: 0 - available, consumed: available };
    return moving(evaluation, call, change);
  }),
  {
    breaks: 8,
    fault: 'the fold takes every hold for one of the first price list',
    rules: {
      ...productRules,
      applyEntry: (account, entry) => applyEntry(account, { ...entry, priceVersion: 1 }),
    },
  },
  faulty(9, 'the clock is believed', (call) => {
    const evaluation = evaluate(...call);
    if (evaluation.result !== 'new') return evaluation;
    const atMs = call[2].now;
    return {
      ...evaluation,
      entry: { ...evaluation.entry, atMs },
      account: { ...evaluation.account, lastAtMs: atMs },
    };
  }),
  faulty(10, 'a hold ends in what the account pays with now', (call) => {
    const evaluation = evaluate(...call);
    const { entry } = evaluation;
    const asset = fundingAsset(call[0].terms.funding);
    if (evaluation.result !== 'new' || !resolutions.some((kind) => kind === entry.kind)) {
      return evaluation;
    }
    const { account } = moving({ ...evaluation, entry: { ...entry, asset } }, call, entry.change);
    return { ...evaluation, entry: { ...entry, asset }, account };
  }),
  faulty(11, 'a replica decides with the lists that it read at its start', (call) => {
    const [first] = priceLists;
    const prices = createPriceBook(first ? [first] : []);
    const known = { ...call[2].prices, activeAt: prices.activeAt };
    return withContext(call, { prices: known });
  }),
  faulty(11, 'a command has the prices of the moment it is booked', (call) => {
    const [account, command, context] = call;
    return evaluate(account, { ...command, writtenAtMs: context.now }, context);
  }),
  faulty(12, 'a repetition gets an entry of its own', (call) =>
    call[1].type === 'billing.charge.v1'
      ? withContext(call, { recorded: () => undefined })
      : evaluate(...call),
  ),
  faulty(13, 'a charge may come after its reversal', (call) => {
    const recorded = (key: string) => {
      const entry = call[2].recorded(key);
      return call[1].type === 'billing.charge.v1' && entry?.command === 'reverse'
        ? undefined
        : entry;
    };
    return withContext(call, { recorded });
  }),
  ...plantedMonthFaults,
  faulty(23, 'a hold is what the price list says, whatever the client allows', (call) => {
    const [account, command, context] = call;
    if (command.type !== 'billing.reserve.v1') return evaluate(...call);
    const maxCredits = Number.MAX_SAFE_INTEGER;
    return evaluate(account, withBody(command, { maxCredits }), context);
  }),
  sharing(17, 'a command id of one account is recorded for all'),
  faulty('model', 'a hold can be made after a settle that did not find it', (call) => {
    const recorded = (key: string) => {
      const entry = call[2].recorded(key);
      return call[1].type === 'billing.reserve.v1' && entry?.command === 'settle'
        ? undefined
        : entry;
    };
    return withContext(call, { recorded });
  }),
];

function sharing(breaks: InvariantName, fault: string): PlantedFault {
  // One memory for everything that is evaluated, as an index without the account would be.
  const seen = new Map<string, Entry>();
  return faulty(breaks, fault, (call) => {
    const [account, command, context] = call;
    if (account.lastSeq === 0 && command.body.commandId === 'grant:opening-credits') seen.clear();
    const key = commandKey(command);
    const recorded = (asked: string) => context.recorded(asked) ?? seen.get(asked);
    const isOpening = command.body.commandId.startsWith('grant:opening');
    const evaluation = isOpening
      ? evaluate(...call)
      : evaluate(account, command, { ...context, recorded });
    if (evaluation.result === 'new') seen.set(key, evaluation.entry);
    return evaluation;
  });
}
