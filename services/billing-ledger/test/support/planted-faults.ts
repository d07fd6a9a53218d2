import { applyEntry } from '../../src/accounts/account.domain.ts';
import { type Balances, plus } from '../../src/accounts/balances.domain.ts';
import { commandKey } from '../../src/accounts/command.domain.ts';
import type { EvaluationContext } from '../../src/accounts/decision.domain.ts';
import type { Entry } from '../../src/accounts/entry.domain.ts';
import { type Evaluation, evaluate } from '../../src/accounts/evaluate.domain.ts';
import { listHolds } from '../../src/accounts/hold-set.domain.ts';
import { fundingAsset } from '../../src/accounts/terms.domain.ts';
import { createPriceBook, type PriceList } from '../../src/prices/price-list.domain.ts';
import type { InvariantName } from './invariants.ts';
import { afterwards, type Call, faulty, moving, type PlantedFault } from './planted-fault.ts';
import { plantedMonthFaults } from './planted-month-faults.ts';
import { priceLists } from './program.ts';
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

/** As if the commands had been judged at other prices. */
function priced(call: Call, change: (list: PriceList) => PriceList): Evaluation {
  const [account, command, context] = call;
  return evaluate(account, command, {
    ...context,
    prices: createPriceBook(priceLists.map(change)),
  });
}

const withContext = (call: Call, change: Partial<EvaluationContext>): Evaluation =>
  evaluate(call[0], call[1], { ...call[2], ...change });

const resolutions = ['settle', 'release'] as const;

export const plantedFaults: readonly PlantedFault[] = [
  afterwards(1, 'a release does not return the amount', ['release'], (evaluation, call) =>
    moving(evaluation, call, { ...evaluation.entry.change, available: 0 }),
  ),
  afterwards(1, 'a grant is not counted as issued', ['grant'], (evaluation, call) =>
    moving(evaluation, call, { ...evaluation.entry.change, issued: 0 }),
  ),
  faulty(2, 'a reservation is made on credit', (call) =>
    call[1].kind === 'reserve' ? richer(call, { available: 500, issued: 500 }) : evaluate(...call),
  ),
  faulty(2, 'an adjustment may take more than there is', (call) =>
    call[1].kind === 'adjust' ? richer(call, { available: 500, issued: 500 }) : evaluate(...call),
  ),
  faulty(2, 'amounts may grow beyond what is exact', (call) => {
    const evaluation = evaluate(...call);
    const [, command] = call;
    const isLimit = evaluation.entry.refusal?.code === 'balance_limit_exceeded';
    if (!isLimit || evaluation.result !== 'new' || command.kind !== 'grant') return evaluation;
    const change = { ...zero, available: command.amount, issued: command.amount };
    return moving(evaluation, call, change);
  }),
  afterwards(3, 'a settled hold stays open', resolutions, (evaluation, [before]) => ({
    ...evaluation,
    account: { ...evaluation.account, holds: before.holds },
  })),
  faulty(3, 'a hold can be resolved again by its other command', (call) => {
    const [account, command, context] = call;
    const recorded = (key: string) => {
      const entry = context.recorded(key);
      return entry?.commandId === command.commandId ? entry : undefined;
    };
    const first = context.recorded(commandKey(command));
    const isSecond = command.kind === 'release' && first?.kind === 'settle';
    if (!isSecond) return evaluate(...call);
    const evaluation = evaluate(account, command, { ...context, recorded });
    return { ...evaluation, entry: { ...evaluation.entry, kind: 'release' } };
  }),
  faulty(4, 'a started block is not charged', (call) => {
    const [account, command, context] = call;
    if (command.kind !== 'settle' || command.observedAssets === null) return evaluate(...call);
    const observedAssets = command.observedAssets - (command.observedAssets % 1_000);
    const evaluation = evaluate(account, { ...command, observedAssets }, context);
    if (evaluation.result !== 'new') return evaluation;
    const { entry } = evaluation;
    return { ...evaluation, entry: { ...entry, observedAssets: command.observedAssets } };
  }),
  faulty(4, 'a private inventory is free', (call) =>
    priced(call, (list) => ({ ...list, refreshDiagnostic: 0 })),
  ),
  afterwards(4, 'a refresh may cost more than was reserved', ['settle'], (evaluation, call) => {
    const { consumed, available } = evaluation.entry.change;
    if (available > 0) return evaluation;
    return moving(evaluation, call, {
      ...evaluation.entry.change,
      consumed: consumed + 1,
      available: available - 1,
    });
  }),
  faulty(5, 'exactly the reservation is not enough', (call) => {
    const [account, command] = call;
    if (command.kind !== 'reserve') return evaluate(...call);
    const { available } = account.balances[fundingAsset(account.terms.funding)];
    const isExact = [125, 200].includes(available);
    return isExact ? richer(call, { available: -1, issued: -1 }) : evaluate(...call);
  }),
  faulty(5, 'open holds count as available', (call) => {
    const [account, command] = call;
    const { held } = account.balances[fundingAsset(account.terms.funding)];
    const by = { available: held, issued: held };
    return command.kind === 'reserve' ? richer(call, by) : evaluate(...call);
  }),
  faulty(6, 'a refusal is forgotten', (call) =>
    withContext(call, {
      recorded: (key) => {
        const entry = call[2].recorded(key);
        return entry?.refusal && 'detail' in entry.refusal ? undefined : entry;
      },
    }),
  ),
  faulty(6, 'an id with other content is taken for a duplicate', (call) => {
    const evaluation = evaluate(...call);
    return evaluation.result === 'conflict' ? { ...evaluation, result: 'recorded' } : evaluation;
  }),
  faulty(6, 'a re-emitted answer carries the present time', (call) => {
    const evaluation = evaluate(...call);
    if (evaluation.result === 'new') return evaluation;
    return { ...evaluation, entry: { ...evaluation.entry, at: call[2].now } };
  }),
  afterwards(7, 'a refused command costs what there is', ['refuse'], (evaluation, call) => {
    const { available } = call[0].balances[evaluation.entry.asset];
    const change = { ...zero, available: 0 - available, consumed: available };
    return moving(evaluation, call, change);
  }),
  afterwards(7, 'a refused release closes a hold', ['refuse'], (evaluation, [before]) => {
    const [oldest] = listHolds(before.holds);
    const buckets = before.holds.buckets.map((bucket) => bucket.filter((hold) => hold !== oldest));
    const holds = { size: before.holds.size - (oldest ? 1 : 0), buckets };
    return { ...evaluation, account: { ...evaluation.account, holds } };
  }),
  afterwards(8, 'refusals take no position of their own', ['refuse'], (evaluation, [before]) => ({
    ...evaluation,
    entry: { ...evaluation.entry, seq: before.lastSeq },
    account: { ...evaluation.account, lastSeq: before.lastSeq },
  })),
  afterwards(8, 'the account keeps more than its entries say', ['grant'], (evaluation) => {
    const { account, entry } = evaluation;
    const bonus = plus(account.balances[entry.asset], { ...zero, available: 1, issued: 1 });
    const balances = { ...account.balances, [entry.asset]: bonus };
    return { ...evaluation, account: { ...account, balances } };
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
    const at = call[2].now;
    return {
      ...evaluation,
      entry: { ...evaluation.entry, at },
      account: { ...evaluation.account, lastAt: at },
    };
  }),
  faulty(9, 'a burst runs ahead of the clock', (call) => {
    const [account, command, context] = call;
    return evaluate(account, command, {
      ...context,
      now: Math.max(context.now, account.lastAt + 1),
    });
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
  faulty(11, 'a hold ends at the prices of its last day', (call) => {
    const active = call[2].prices.activeAt(call[2].now);
    const byVersion = () => active;
    return withContext(call, { prices: { ...call[2].prices, activeAt: byVersion, byVersion } });
  }),
  faulty(11, 'a replica decides with the lists that it read at its start', (call) => {
    const [first] = priceLists;
    const prices = createPriceBook(first ? [first] : []);
    const known = { ...call[2].prices, activeAt: prices.activeAt };
    return withContext(call, { prices: known });
  }),
  faulty(11, 'a list that was replaced takes effect on its date', (call) => {
    const latest = priceLists.toSorted((left, right) => right.effectiveAt - left.effectiveAt);
    const activeAt = (timeMs: number) =>
      latest.find(({ effectiveAt }) => effectiveAt <= timeMs) ?? call[2].prices.activeAt(timeMs);
    return withContext(call, { prices: { ...call[2].prices, activeAt } });
  }),
  faulty(12, 'a refusal is published but not journaled', (call) => {
    const evaluation = evaluate(...call);
    const isTold = evaluation.result === 'new' && evaluation.entry.refusal !== null;
    return isTold ? { ...evaluation, result: 'recorded', account: call[0] } : evaluation;
  }),
  faulty(12, 'a repetition gets an entry of its own', (call) =>
    call[1].kind === 'charge'
      ? withContext(call, { recorded: () => undefined })
      : evaluate(...call),
  ),
  faulty(13, 'a charge may come after its reversal', (call) => {
    const recorded = (key: string) => {
      const entry = call[2].recorded(key);
      return call[1].kind === 'charge' && entry?.command === 'reverse' ? undefined : entry;
    };
    return withContext(call, { recorded });
  }),
  faulty(13, 'a charge is reversed as often as it is asked', (call) => {
    const recorded = (key: string) => {
      const entry = call[2].recorded(key);
      return entry?.kind === 'reverse' ? undefined : entry;
    };
    return withContext(call, { recorded });
  }),
  ...plantedMonthFaults,
  faulty(23, 'a hold is what the price list says, whatever the client allows', (call) => {
    const [account, command, context] = call;
    if (command.kind !== 'reserve') return evaluate(...call);
    return evaluate(account, { ...command, maxCredits: Number.MAX_SAFE_INTEGER }, context);
  }),
  sharing(17, 'a command id of one account is recorded for all'),
  faulty('model', 'a hold can be made after a settle that did not find it', (call) => {
    const recorded = (key: string) => {
      const entry = call[2].recorded(key);
      return call[1].kind === 'reserve' && entry?.command === 'settle' ? undefined : entry;
    };
    return withContext(call, { recorded });
  }),
  faulty('model', 'a charge of several pages costs one', (call) => {
    const [account, command, context] = call;
    if (command.kind !== 'charge') return evaluate(...call);
    return evaluate(account, { ...command, pages: 1 }, context);
  }),
  faulty('model', 'a release also charges the diagnostic price', (call) => {
    const [account, command, context] = call;
    if (command.kind !== 'release') return evaluate(...call);
    const asked = { ...command, kind: 'settle' as const, outcome: 'private' as const };
    return evaluate(account, { ...asked, observedAssets: null }, context);
  }),
];

function sharing(breaks: InvariantName, fault: string): PlantedFault {
  // One memory for everything that is evaluated, as an index without the account would be.
  const seen = new Map<string, Entry>();
  return faulty(breaks, fault, (call) => {
    const [account, command, context] = call;
    if (account.lastSeq === 0 && command.commandId === 'grant:opening-credits') seen.clear();
    const key = commandKey(command);
    const recorded = (asked: string) => context.recorded(asked) ?? seen.get(asked);
    const isOpening = command.commandId.startsWith('grant:opening');
    const evaluation = isOpening
      ? evaluate(...call)
      : evaluate(account, command, { ...context, recorded });
    if (evaluation.result === 'new') seen.set(key, evaluation.entry);
    return evaluation;
  });
}
