import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type Change, changes } from '../../test/support/changed-document.ts';
import { plantedFaults } from '../../test/support/planted-faults.ts';
import { type Program, prices, programs } from '../../test/support/program.ts';
import { each, type StoredJournal, storeProgram } from '../../test/support/stored-journal.ts';
import { verifyStored } from '../../test/support/verify-stored.ts';
import { type Entry, entryKeys } from '../accounts/entry.domain.ts';
import type { EntryKind } from '../accounts/movement.domain.ts';
import { storedCommandKey } from '../journal/command-key-mapping.ts';
import {
  type CommitDocument,
  commitId,
  readCommit,
  requireIntact,
  UnreadableCommit,
} from '../journal/commit-document.ts';
import { type StoredEntry, toStoredEntry } from '../journal/entry-mapping.ts';
import type { Journal } from '../journal/journal-store.ts';
import { seal, unseal } from '../journal/sealed-mapping.ts';
import { createPriceBook, firstPriceList } from '../prices/price-list.domain.ts';
import type { Snapshot } from '../snapshots/snapshot-document.ts';

/** Verifies stored commits, in the order they are given, beside some snapshots. */
function verifyCommits(
  { journal }: StoredJournal,
  commits: readonly CommitDocument[],
  snapshots: readonly Snapshot[] = [],
) {
  const findRecorded: Journal['findRecorded'] = async (accountId, keys) => {
    const isWanted = (entry: Entry) => entryKeys(entry).some((key) => keys.includes(key));
    const own = commits.filter((commit) => commit.accountId === accountId).map(readCommit);
    const found = requireIntact(own.filter(({ entries }) => entries.some(isWanted)));
    return found.flatMap(({ entries }) => entries.filter(isWanted));
  };
  const stored = { ...journal, findRecorded, scanCommits: () => each(commits) };
  return verifyStored({ journal: stored, snapshots });
}

const commitsOf = ({ store }: StoredJournal): CommitDocument[] =>
  [...store.commits.keys()]
    .sort()
    .flatMap((id) => store.commits.get(id) ?? [])
    .map(({ document }) => document);

/** Known programs, in which each kind of entry happens somewhere, and their journals. */
const samples = fc.sample(programs, { numRuns: 3_000, seed: 5 });
const storedSamples = new Map<Program, Promise<StoredJournal>>();

function storeSample(program: Program): Promise<StoredJournal> {
  const stored = storedSamples.get(program) ?? storeProgram(program);
  storedSamples.set(program, stored);
  return stored;
}

/** A journal in which each of these kinds of entries happens. */
async function richJournal(
  wanted: readonly EntryKind[] = ['grant', 'settle', 'release', 'charge', 'refuse'],
): Promise<StoredJournal> {
  for (const program of samples) {
    const stored = await storeSample(program);
    const kinds = new Set(stored.entries.map(({ entry }) => entry.kind));
    const isPaid = stored.entries.some(
      ({ entry }) => entry.kind === 'settle' && entry.change.consumed > 0,
    );
    if (isPaid && wanted.every((kind) => kinds.has(kind))) return stored;
  }
  throw new Error('no program does all of it');
}

describe('Verification of the journal [ledger-verify]', () => {
  test('finds nothing in what the ledger writes, and counts all of it', async () => {
    const anyProgram = fc.asyncProperty(programs, async (program) => {
      const stored = await storeProgram(program);
      const { problems, entries } = await verifyCommits(stored, commitsOf(stored));
      return problems.length === 0 && entries === stored.entries.length;
    });

    await fc.assert(anyProgram, { numRuns: propertyRuns(300) });
  });

  test('finds what was bought under a list that was not in force [prices]', async () => {
    const planted = plantedFaults.find(({ fault }) => fault.includes('read at its start'));
    const found = new Set<string>();
    for (const program of fc.sample(programs, { numRuns: 40, seed: 5 })) {
      const stored = await storeProgram(program, 4, planted?.rules);
      const { problems } = await verifyCommits(stored, commitsOf(stored));
      for (const { problem } of problems) found.add(problem.replace(/^[a-z]+ /, ''));
    }

    expect([...found]).toEqual(['its price list was not in force']);
  });

  test('has the lists that are published while it runs [prices]', async () => {
    let book = createPriceBook([firstPriceList]);
    const lists = {
      get book() {
        return book;
      },
      reload: async () => {},
      reloadIfOld: async () => {
        book = prices;
      },
    };
    const stored = await richJournal();

    const { problems } = await verifyStored({ journal: stored.journal, prices: lists });

    expect(stored.entries.some(({ entry }) => (entry.priceVersion ?? 1) > 1)).toBe(true);
    expect(problems).toEqual([]);
  });

  test('finds any change of anything that is stored', async () => {
    const anyChange = fc.asyncProperty(
      programs,
      fc.nat(),
      changes,
      async (program, which, change: Change) => {
        const stored = await storeProgram(program);
        const commits = commitsOf(stored);
        const at = which % commits.length;
        const changed = commits.map((commit, index) => (index === at ? change(commit) : commit));
        return (await verifyCommits(stored, changed)).problems.length > 0;
      },
    );

    await fc.assert(anyChange, { numRuns: propertyRuns(300) });
  });

  test('finds a commit that is missing, and names the account', async () => {
    const stored = await richJournal();
    const [first, second] = commitsOf(stored);
    const rest = commitsOf(stored).slice(1);

    const { problems } = await verifyCommits(stored, rest);

    expect(problems.map(({ problem }) => problem)).toContain('previous commit hash mismatch');
    expect(problems[0]?.accountId).toBe((second ?? first)?.accountId);
  });

  test('finds that the end of a journal was cut off, where a snapshot is newer', async () => {
    const stored = await richJournal();
    const last = stored.snapshots.at(-1);
    if (!last) throw new Error('no snapshot');
    const { accountId } = last.account;
    const cut = { ...stored, journal: { ...stored.journal, readCommits: async () => [] } };

    const { problems } = await verifyCommits(cut, commitsOf(stored).slice(0, -1), [last]);

    expect(problems).toEqual([
      { accountId, seq: last.account.lastSeq, problem: 'journal ends before its snapshot' },
    ]);
  });

  test('reads the commits made after its scan before it compares a newer snapshot', async () => {
    const stored = await richJournal();
    const last = stored.snapshots.at(-1);
    if (!last) throw new Error('no snapshot');

    const { problems, entries } = await verifyCommits(stored, commitsOf(stored).slice(0, -1), [
      last,
    ]);

    expect(problems).toEqual([]);
    expect(entries).toBe(stored.entries.length);
  });

  test('finds a snapshot that does not match the fold', async () => {
    const stored = await richJournal();
    const [snapshot] = stored.snapshots;
    if (!snapshot) throw new Error('no snapshot');
    const { account } = snapshot;
    const wrong = { ...snapshot, account: { ...account, lastAtMs: account.lastAtMs + 1 } };

    expect((await verifyCommits(stored, commitsOf(stored), [wrong])).problems).toMatchObject([
      { problem: 'snapshot does not match the fold' },
    ]);
    expect((await verifyCommits(stored, commitsOf(stored), [snapshot])).problems).toEqual([]);
  });

  test('continues after a document that is not a commit', async () => {
    const stored = await richJournal();
    const stranger = { _id: 'acc_0/1', accountId: 'acc_0', entries: 'none' };

    const { problems, entries } = await verifyCommits(stored, [
      stranger as never,
      ...commitsOf(stored),
    ]);

    expect(problems).toEqual([
      { accountId: 'acc_0', seq: null, problem: 'a stored commit is not readable' },
    ]);
    expect(entries).toBe(stored.entries.length);
  });
});

describe('Where a newer snapshot makes a verification read on [ledger-verify]', () => {
  test('a commit there that is not readable is a problem, and the verification ends', async () => {
    const stored = await richJournal();
    const last = stored.snapshots.at(-1);
    if (!last) throw new Error('no snapshot');
    const { accountId, lastSeq: seq } = last.account;
    const unreadable = async () => {
      throw new UnreadableCommit(accountId, 'no JSON');
    };
    const journal = { ...stored.journal, readCommits: unreadable };

    const { problems } = await verifyCommits(
      { ...stored, journal },
      commitsOf(stored).slice(0, -1),
      [last],
    );

    expect(problems).toEqual([{ accountId, seq, problem: 'journal ends before its snapshot' }]);
  });
});

type Forgery = (entry: StoredEntry) => Partial<Record<keyof StoredEntry, unknown>> | null;

/** The same commit with forged entries and a hash that fits them: only the fold detects it. */
function forge(document: CommitDocument, forgery: Forgery): CommitDocument {
  const content = unseal(document) as { readonly entries: readonly StoredEntry[] };
  const forged = content.entries.map((entry) => ({ ...entry, ...forgery(entry) }));
  const sealed = { ...document, ...seal({ ...content, entries: forged }) };
  const { accountId, firstSeq, lastSeq, atMs, entries } = readCommit(sealed);
  const commandKeys = entries.flatMap(entryKeys).map((key) => storedCommandKey(accountId, key));
  return { ...sealed, _id: commitId(accountId, firstSeq), lastSeq, atMs, commandKeys };
}

/** A journal that has what is forged and, after it, what depends on it. */
async function journalFor(forgery: Forgery): Promise<StoredJournal> {
  for (const program of samples) {
    const stored = await storeSample(program);
    const { entries } = stored;
    const isDecided = entries.some(({ accountId, entry }, at) => {
      if (forgery(toStoredEntry(entry)) === null) return false;
      const { configured } = entry;
      const of =
        configured?.sets === 'spend_cap'
          ? configured.projectId
          : configured?.sets === 'credential_spend_cap'
            ? configured.credentialId
            : null;
      const isBought = (later: (typeof entries)[number]) =>
        later.accountId === accountId &&
        (later.entry.kind === 'reserve' || later.entry.kind === 'charge') &&
        (of === null || later.entry.projectId === of || later.entry.credentialId === of);
      const costs = entry.kind !== 'settle' || entry.change.consumed > 0;
      return costs && (of === null || entries.slice(at + 1).some(isBought));
    });
    if (isDecided) return stored;
  }
  throw new Error('no program has what is forged');
}

const isPurchase = ({ kind }: StoredEntry) => kind === 'reserve' || kind === 'charge';
const reversed =
  (change: Partial<StoredEntry>): Forgery =>
  (entry) =>
    entry.kind === 'reverse' && entry.pastPeriod === undefined ? change : null;

/** A reversal that is not the one of its charge, in each thing that it repeats of it. */
const reversals: readonly [string, Forgery, string][] = [
  [
    'a reversal refunds more than was charged',
    reversed({ change: { available: 50, consumed: -50 } }),
    'reverse does not return exactly what was charged',
  ],
  [
    'a reversal refunds another asset',
    (entry) =>
      entry.kind === 'reverse' ? { asset: entry.asset === 'units' ? 'credits' : 'units' } : null,
    'reverse ends a charge in another asset',
  ],
  [
    'a reversal has other prices',
    reversed({ priceVersion: 2 }),
    'reverse ends a charge at other prices',
  ],
  [
    'a reversal is of another product',
    reversed({ productCode: 'platform.inventory.changes.page.v1' }),
    'reverse ends a charge of another product',
  ],
  [
    'a reversal is of another Project',
    reversed({ projectId: 'prj_0190bbbb-0000-7000-8000-00000000ffff' }),
    'reverse ends a charge of another Project',
  ],
  [
    'a reversal is of another Credential',
    reversed({ credentialId: 'cred_0190eeee-0000-7000-8000-00000000ffff' }),
    'reverse ends a charge of another Credential',
  ],
  [
    'a reversal is of a month in which nothing was charged',
    reversed({ pastPeriod: 24_000 }),
    'reverse period of its charge missing or wrong',
  ],
  [
    'a reversal has no charge',
    reversed({
      requestId: 'req_0190dddd-0000-7000-8000-00000000ffff',
      commandId: 'reverse:req_0190dddd-0000-7000-8000-00000000ffff',
    }),
    'reverse ends a charge that is not open',
  ],
  [
    'a reversal is of another charge than its command',
    reversed({ requestId: 'req_0190dddd-0000-7000-8000-00000000ffff' }),
    'reverse command id does not match its subject',
  ],
];

describe('Verification of a journal rewritten with valid hashes [ledger-verify]', () => {
  const forgeries: readonly [string, Forgery, string][] = [
    [
      'a grant is worth more',
      (entry) => (entry.kind === 'grant' ? { change: { available: 9_999, issued: 9_999 } } : null),
      'grant balances are not the previous ones plus the movement',
    ],
    [
      'credits appear from nowhere',
      (entry) => (entry.kind === 'grant' ? { change: { available: 5 } } : null),
      'grant movement does not net to zero',
    ],
    [
      'a refusal moves credits',
      (entry) => (entry.kind === 'refuse' ? { change: { available: -5, consumed: 5 } } : null),
      'refuse movement is not one of a refuse',
    ],
    [
      'a settlement costs less',
      (entry) => (entry.kind === 'settle' ? { outcome: 'cancelled' } : null),
      'settle amount is',
    ],
    [
      'a settlement ends a hold that was never made',
      (entry) =>
        entry.kind === 'settle' ? { refreshId: '0190cccc-0000-7000-8000-00000000ffff' } : null,
      'settle ends a hold that is not open',
    ],
    [
      'a hold ends at other prices',
      (entry) => (entry.kind === 'settle' ? { priceVersion: 7 } : null),
      'settle ends a hold at other prices',
    ],
    [
      'a hold ends without the outcome that it is paid for',
      (entry) => (entry.kind === 'settle' ? { outcome: undefined } : null),
      'settle price cannot be computed',
    ],
    [
      'a settlement has no count of assets',
      (entry) => (entry.disposition === 'finalize_complete' ? { observedAssets: undefined } : null),
      'settle price cannot be computed',
    ],
    [
      'a purchase has a price list that was never published',
      (entry) => (isPurchase(entry) ? { priceVersion: 77 } : null),
      'its price list is unknown',
    ],
    [
      'a purchase has no price list',
      (entry) => (isPurchase(entry) ? { priceVersion: undefined } : null),
      'its price list is unknown',
    ],
    [
      'a purchase has the prices of a time at which no kept command was sent',
      (entry) => (isPurchase(entry) ? { pricedAtMs: entry.atMs - 61 * 86_400_000 } : null),
      'time of its price is not possible',
    ],
    [
      'a settlement has the prices of a time',
      (entry) => (entry.kind === 'settle' ? { pricedAtMs: entry.atMs } : null),
      'settle time of a price without a purchase',
    ],
    ...reversals,
    [
      'time goes back',
      ({ atMs = 0, seq = 0 }) => ({ atMs: atMs - 40 * 86_400_000 * seq }),
      'time is before the previous entry',
    ],
    [
      'units that are left of a month stay',
      (entry) => (entry.kind === 'expire' ? { kind: 'refuse', change: {} } : null),
      'month opening missing',
    ],
    [
      'a month is granted more than the subscription',
      (entry) =>
        entry.kind === 'allowance' ? { change: { available: 9_999, issued: 9_999 } } : null,
      'allowance month opening not due',
    ],
    [
      'a subscription has another amount',
      (entry) =>
        entry.configured?.sets === 'funding'
          ? {
              configured: { sets: 'funding', funding: { mode: 'subscription', unitsPerMonth: 77 } },
            }
          : null,
      'commit subscription does not match the entries',
    ],
    [
      'a purchase passes a cap',
      (entry) =>
        entry.configured?.sets === 'spend_cap'
          ? { configured: { ...entry.configured, cap: 0 } }
          : null,
      'exceeds the spend cap of its project',
    ],
    [
      'a purchase passes the cap of its Credential',
      (entry) =>
        entry.configured?.sets === 'credential_spend_cap'
          ? { configured: { ...entry.configured, cap: 0 } }
          : null,
      'exceeds the spend cap of its credential',
    ],
    [
      'a low-balance alert is missing',
      (entry) => (entry.lowBalance ? { lowBalance: undefined } : null),
      'low-balance alert missing or unexpected',
    ],
    ['a position is left out', ({ seq = 0 }) => ({ seq: seq + 1 }), 'does not follow position'],
    [
      'a balance is negative',
      (entry) => (entry.kind === 'grant' ? { after: { available: -1, issued: -1 } } : null),
      'grant balance is negative or inexact',
    ],
  ];

  test.each(forgeries)('finds that %s', async (_what, forgery, expected) => {
    const stored = await journalFor(forgery);
    const forged = commitsOf(stored).map((commit) => forge(commit, forgery));

    const { problems } = await verifyCommits(stored, forged);

    expect(problems.map(({ problem }) => problem).join('\n')).toContain(expected);
    expect(problems.map(({ problem }) => problem)).not.toContain('commit hash mismatch');
  });
});
