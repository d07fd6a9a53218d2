import { type Command, commandKey } from '../../../src/accounts/command.domain.ts';
import { type Entry, entryKeys } from '../../../src/accounts/entry.domain.ts';
import { resolveDuplicate } from '../../../src/accounts/evaluate.domain.ts';
import { outcomeOf, publishedOutcomeOf } from '../../../src/accounts/outcome.domain.ts';
import { priceLists } from '../program.ts';
import { createReferenceModel } from '../reference-model.ts';
import type { Store } from './fake-journal.ts';

/**
 * Audits a run from its journal, every command ever sent and every outcome ever published, without
 * any code of the ledger's decisions.
 */
export function auditRun(
  store: Store,
  commands: readonly Command[],
  published: ReadonlyMap<string, number>,
): string[] {
  const journal = [...store.commits].flatMap(([accountId, commits]) =>
    commits.flatMap(({ commit }) => commit.entries).map((entry) => ({ accountId, entry })),
  );
  const responses = new Map<string, Entry>();
  const problems: string[] = [];
  for (const { accountId, entry } of journal) {
    for (const key of entryKeys(entry)) {
      if (responses.has(`${accountId} ${key}`)) problems.push(`journaled twice: ${key}`);
      responses.set(`${accountId} ${key}`, entry);
    }
  }
  const allowed = new Set<string>();
  for (const command of commands) {
    const entry = responses.get(`${command.body.accountId} ${commandKey(command)}`);
    if (!entry) {
      problems.push(`never journaled: ${command.body.commandId}`);
      continue;
    }
    const result = resolveDuplicate(entry, command);
    const outcome = JSON.stringify(publishedOutcomeOf(command, { result, entry }));
    if (!published.has(outcome)) problems.push(`never published: ${outcome}`);
    allowed.add(outcome);
    for (const one of entry.opening) {
      const opening = JSON.stringify(outcomeOf(command.body.accountId, one));
      if (!published.has(opening)) problems.push(`never published: ${opening}`);
      allowed.add(opening);
    }
  }
  for (const outcome of published.keys()) {
    if (!allowed.has(outcome)) problems.push(`published without an entry: ${outcome}`);
  }
  return [...problems, ...againstModel(journal, commands)];
}

type Journal = readonly { readonly accountId: string; readonly entry: Entry }[];

/** The commands in the order of their entries must do what they do in a simple ledger. */
function againstModel(journal: Journal, commands: readonly Command[]): string[] {
  const model = createReferenceModel(priceLists);
  return journal.flatMap(({ accountId, entry }) => {
    // No command begins a month; the simple ledger begins it by itself.
    if (entry.kind === 'expire' || entry.kind === 'allowance') return [];
    const command = commands.find(
      (sent) => sent.body.accountId === accountId && isDecidedBy(entry, sent),
    );
    if (!command) return [`journaled without a command: ${entry.commandId}`];
    const expected = model.replyTo({ command, now: entry.opening[0]?.atMs ?? entry.atMs });
    const { available, held, consumed } = entry.after;
    const isEqual =
      expected.fate === (entry.refusal ? 'refused' : 'applied') &&
      expected.code === (entry.refusal?.code ?? null) &&
      expected.available === available &&
      expected.held === held &&
      expected.consumed === consumed;
    return isEqual ? [] : [`${entry.commandId} did not do what it does in a simple ledger`];
  });
}

function isDecidedBy(entry: Entry, command: Command): boolean {
  if (command.body.commandId !== entry.commandId) return false;
  if (command.type !== 'billing.settle.v1' || entry.refusal) {
    return resolveDuplicate(entry, command) === 'recorded';
  }
  return (
    command.body.outcome === entry.outcome && command.body.observedAssets === entry.observedAssets
  );
}
