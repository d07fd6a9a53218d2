import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { pack } from '@inventory/runtime/packed-bytes';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { Binary } from 'mongodb';
import { assembleScan } from '../src/scans/assemble-scan.ts';
import { assemblyOn } from './support/assembly-on.ts';
import {
  asset,
  completedScan,
  description,
  newScan,
  plainPage,
  type Scan,
  type ScanPage,
} from './support/scan-builder.ts';
import { pinTo } from './support/store-client.ts';
import {
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

let store: StoreUnderTest;
let replica: Replica;

beforeAll(async () => {
  store = await openStoreUnderTest();
  replica = await store.start();
});
afterAll(() => store.close());

const minute = 60_000;
const start = Date.now() - 60 * minute;

describe('A completed scan (Refresh: commit) [only-complete-scans]', () => {
  it('becomes the revision that Current reads, as the platform gave it', async () => {
    const scope = newScope();
    const first = {
      assets: [
        asset('40000000012', { classid: '502', amount: '25' }),
        asset('90071992547409931', { asset_properties: [{ propertyid: 2, float_value: '0.125' }] }),
        asset('7', { classid: '9', currencyid: '7', amount: '9007199254740993' }),
      ],
      descriptions: [description('502'), description('501', '0', { assetid: '1', name: 'Клинок' })],
    };
    const second = {
      assets: [
        asset('7', { classid: '9' }),
        asset('40000000012', { classid: '502', amount: '26' }),
      ],
      descriptions: [],
    };

    const saved = await replica.save({
      scope,
      pages: [first, second],
      reportedTotalCount: 9,
      completedAtMs: start,
    });

    expect(saved).toMatchObject({ changed: true, observedAssets: 4 });
    const page = await replica.client.page(scope);
    expect(page.assets).toEqual([
      { ...first.assets[0], amount: '26' },
      first.assets[1],
      first.assets[2],
      second.assets[0],
    ]);
    expect(page.descriptions).toEqual(first.descriptions);
    expect(page.meta).toEqual({
      scope,
      revisionId: saved.revisionId,
      observationId: saved.observationId,
      verifiedAtMs: start,
      scanWindow: { startedAtMs: start - 5_000, completedAtMs: start },
      totalCount: 4,
      totalAmount: '9007199254741021',
      reportedTotalCount: 9,
      language: 'english',
      nextPosition: null,
      packed: null,
    });
  });

  it('has one outcome: every duplicate command publishes the same bytes under the same id', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    await replica.client.stage(scan);
    await store.complete(scan);
    await store.committed(scan);

    const before = store.outcomesOf(scan).length;
    await store.complete(scan);
    await store.abandon(scan);

    const outcomes = await waitFor('each command is answered', () => {
      const outcomes = store.outcomesOf(scan);
      return outcomes.length >= before + 4 && outcomes;
    });
    expect(
      new Set(outcomes.map(({ id, type, body }) => JSON.stringify([id, type, body]))).size,
    ).toBe(1);
    expect(
      await store.collections.assetBlocks.countDocuments({
        set: (await store.committed(scan)).revisionId,
      }),
    ).toBe(1);
  });

  it('that arrives again leaves nothing of an inventory that was forgotten since (Operating surface: erase) [erase]', async () => {
    const scope = newScope();
    const scan = newScan({ scope, pages: [plainPage(0, 3)] });
    await replica.client.stage(scan);
    await store.complete(scan);
    await store.committed(scan);
    const ofIt = { _id: inventoryKeyText(scope) };
    await store.collections.scopes.deleteOne(ofIt);
    const outcomes = store.outcomesOf(scan).length;

    await store.complete(scan);

    await waitFor('both are answered', () => store.outcomesOf(scan).length >= outcomes + 2);
    await waitFor(
      'nothing is left',
      async () => (await store.collections.scopes.countDocuments(ofIt)) === 0,
    );
  });

  it('of an empty inventory, or of one where everything is hidden, is complete [everything-hidden-is-complete]', async () => {
    const [empty, hidden, unread] = [newScope(), newScope(), newScope()];
    const blank = { assets: [], descriptions: [] };

    const ofEmpty = await replica.save({ scope: empty, pages: [blank] });
    await replica.save({ scope: hidden, pages: [blank, blank], reportedTotalCount: 3 });
    await replica.save({ scope: unread, pages: [] });

    expect(ofEmpty).toMatchObject({ changed: true, observedAssets: 0 });
    for (const [scope, reported] of [
      [empty, 0],
      [hidden, 3],
      [unread, 0],
    ] as const) {
      const page = await replica.client.page(scope);
      expect(page.text).toBe('"assets":[],"descriptions":[]');
      expect(page.meta).toMatchObject({
        totalCount: 0,
        totalAmount: '0',
        reportedTotalCount: reported,
        nextPosition: null,
      });
    }
    expect((await replica.save({ scope: empty, pages: [blank, blank] })).changed).toBe(false);
  });

  it('is assembled from the chunks of its manifest alone', async () => {
    const scope = newScope();
    const scan = newScan({ scope, pages: [plainPage(0, 40), plainPage(40, 60)], chunkBytes: 700 });
    const stale = {
      ...newScan({ scope, pages: [plainPage(90, 99)], epoch: 7 }),
      scanId: scan.scanId,
    };

    await replica.client.stage(stale);
    await replica.client.stage(scan);
    await store.complete(scan);

    expect((await store.committed(scan)).observedAssets).toBe(60);
    await waitFor('its staged chunks are gone', async () => {
      return (await store.collections.chunks.countDocuments({ scanId: scan.scanId })) === 0;
    });
  });

  it('keeps each row as it was staged: no number is rounded, no field is lost', async () => {
    const scope = newScope();
    const row =
      '{ "appid":730, "contextid":"2","assetid":"9","classid":"501","instanceid":"0",\n "amount":"1", "est_usd":18446744073709551615, "10":1.50, "2":null }';
    const words =
      '{"appid":730,"classid":"501" , "instanceid":"0","name":"\\u00df \\/","assetid":"1"}';
    const text = Buffer.from(`{"descriptions": [${words}], "assets":[ ${row} ]}`);
    const scan = { ...newScan({ scope, pages: [] }), pages: [[text]] };
    await replica.client.stage(scan);
    await store.complete(scan);
    await store.committed(scan);

    const page = await replica.client.page(scope);

    expect(page.text).toBe(`"assets":[${row}],"descriptions":[${words}]`);
  });

  it.each([
    ['is no JSON', Buffer.from('{"assets":[')],
    ['breaks its contract', Buffer.from('{"assets":[{"appid":730}],"descriptions":[]}')],
    ['has a member twice', Buffer.from('{"assets":[],"descriptions":[],"assets":[]}')],
    ['is no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('with a page that %s is rejected as invalid', async (_why, bytes) => {
    const scope = newScope();
    const scan = { ...newScan({ scope, pages: [plainPage(0, 1)] }), pages: [[bytes]] };
    await replica.client.stage(scan);
    await store.complete(scan);

    expect((await store.rejected(scan)).reason).toBe('invalid_pages');
    expect((await replica.client.page(scope)).code).toBe('inventory_revision_not_found');
  });
});

describe('A scan whose last page repeats others (Reads: only complete scans) [only-complete-scans]', () => {
  it.each([
    ['all of its assets', 'rejected', plainPage(0, 60), 120],
    ['most of its assets', 'rejected', plainPage(30, 70), 120],
    ['all of its assets while none is missing', 'committed', plainPage(0, 60), 60],
    ['some of its assets', 'committed', plainPage(50, 110), 120],
  ] as const)('with %s is %s', async (_what, decision, last, reportedTotalCount) => {
    const scope = newScope();
    const scan = newScan({ scope, pages: [plainPage(0, 60), last], reportedTotalCount });
    await replica.client.stage(scan);
    await store.complete(scan);

    const outcome = await (decision === 'rejected' ? store.rejected(scan) : store.committed(scan));

    if (decision === 'rejected') expect(outcome).toMatchObject({ reason: 'invalid_pages' });
    else expect(outcome).toMatchObject({ changed: true });
  });
});

describe('A further scan of an inventory (Refresh: unchanged) [unchanged]', () => {
  const at = (scan: number) => start + scan * minute;
  const page = {
    assets: [asset('1'), asset('2', { classid: '502' })],
    descriptions: [description('501'), description('502')],
  };
  const reordered = { assets: page.assets.toReversed(), descriptions: page.descriptions };

  it('with the same assets keeps the revision and its order under a new observation', async () => {
    const scope = newScope();
    const first = await replica.save({ scope, pages: [page], completedAtMs: at(0) });

    const second = await replica.save({ scope, pages: [reordered], completedAtMs: at(1) });

    expect(second).toMatchObject({
      changed: false,
      revisionId: first.revisionId,
      observedAssets: 2,
    });
    expect(second.observationId).not.toBe(first.observationId);
    const given = await replica.client.page(scope);
    expect(given.assets).toEqual(page.assets);
    expect(given.meta.verifiedAtMs).toBe(at(1));
    expect(await replica.client.observation(scope)).toEqual({
      revisionId: first.revisionId,
      verifiedAtMs: at(1),
      language: 'english',
      observedAssets: 2,
      changed: false,
      previousRevisionId: null,
    });
    expect(
      await store.collections.textBlocks.countDocuments({ scope: `${scope.platform_id}/730/2` }),
    ).toBe(1);
  });

  it('with other assets is a new revision, while chains continue in the old one', async () => {
    const scope = newScope();
    const first = await replica.save({ scope, pages: [plainPage(0, 5)], completedAtMs: at(0) });
    const begun = await replica.client.page(scope, { page_size: 2 });

    const second = await replica.save({ scope, pages: [plainPage(1, 6)], completedAtMs: at(1) });

    expect(second.changed).toBe(true);
    expect(await replica.client.observation(scope)).toMatchObject({
      changed: true,
      previousRevisionId: first.revisionId,
    });
    expect(begun.meta.revisionId).toBe(first.revisionId);
    const rest = await replica.client.page(scope, { position: 2, ...pinTo(begun.meta) });
    expect([...begun.assets, ...rest.assets]).toEqual(plainPage(0, 5).assets);
    expect((await replica.client.page(scope)).assets).toEqual(plainPage(1, 6).assets);
  });

  it('in another language adds its texts to the same revision [another-language]', async () => {
    const scope = newScope();
    const german = [description('501', '0', { name: 'Klinge' })];
    const first = await replica.save({ scope, pages: [page], completedAtMs: at(0) });
    expect((await replica.client.observation(scope))?.changed).toBe(true);
    expect((await replica.client.page(scope, { language: 'german' })).meta.language).toBe(
      'english',
    );

    const second = await replica.save({
      scope,
      pages: [{ assets: reordered.assets, descriptions: german }],
      language: 'german',
      completedAtMs: at(1),
    });

    expect(second).toMatchObject({ changed: false, revisionId: first.revisionId });
    const inGerman = await replica.client.page(scope, { language: 'german' });
    expect(inGerman.descriptions).toEqual(german);
    expect(inGerman.meta.language).toBe('german');
    expect(inGerman.assets).toEqual(page.assets);
    expect((await replica.client.page(scope)).descriptions).toEqual(page.descriptions);
    expect((await replica.client.page(scope, { language: 'thai' })).meta.language).toBe('german');
    expect((await replica.client.observation(scope))?.language).toBe('german');
  });

  it('with other texts shows them, while chains keep the texts they began with', async () => {
    const scope = newScope();
    const renamed = page.descriptions.map((one) => ({ ...one, market_hash_name: 'renamed' }));
    const first = await replica.save({ scope, pages: [page], completedAtMs: at(0) });
    const begun = await replica.client.page(scope, { page_size: 1 });

    const second = await replica.save({
      scope,
      pages: [{ ...page, descriptions: renamed }],
      completedAtMs: at(1),
    });

    expect(second).toMatchObject({ changed: false, revisionId: first.revisionId });
    const rest = await replica.client.page(scope, { position: 1, ...pinTo(begun.meta) });
    expect(rest.descriptions).toEqual([page.descriptions[1]]);
    expect((await replica.client.page(scope)).descriptions).toEqual(renamed);
  });

  const withWear = (wear: string, name: string): ScanPage => ({
    assets: page.assets.map((row, position) => ({
      ...row,
      asset_properties: [{ propertyid: 2, float_value: `${wear}${position}`, name }],
    })),
    descriptions: page.descriptions,
  });
  const lastFirst = ({ assets, descriptions }: ScanPage): ScanPage[] =>
    assets.toReversed().map((row) => ({ assets: [row], descriptions }));

  it('with other properties shows those, in the order of the revision, while chains keep theirs (Unchanged) [rows-of-an-observation]', async () => {
    const scope = newScope();
    const [before, after] = [withWear('0.1', 'Wear'), withWear('0.2', 'Wear')];
    const first = await replica.save({ scope, pages: [before], completedAtMs: at(0) });
    const begun = await replica.client.page(scope, { page_size: 1 });

    const second = await replica.save({ scope, pages: lastFirst(after), completedAtMs: at(1) });

    expect(second).toMatchObject({ changed: false, revisionId: first.revisionId });
    const given = await replica.client.page(scope);
    expect(given.assets).toEqual(after.assets);
    expect(given.meta.verifiedAtMs).toBe(at(1));
    const rest = await replica.client.page(scope, { position: 1, ...pinTo(begun.meta) });
    expect([...begun.assets, ...rest.assets]).toEqual(before.assets);
  });

  it('in another language shows its names of properties, and each language its own (Unchanged) [rows-of-an-observation]', async () => {
    const scope = newScope();
    const [english, german] = [withWear('0.1', 'Wear'), withWear('0.1', 'Abnutzung')];
    await replica.save({ scope, pages: [english], completedAtMs: at(0) });
    await replica.save({ scope, pages: [german], language: 'german', completedAtMs: at(1) });
    const blocks = () =>
      store.collections.textBlocks.countDocuments({ scope: inventoryKeyText(scope) });
    const written = await blocks();

    await replica.save({ scope, pages: lastFirst(english), completedAtMs: at(2) });

    // What is known already is not written again.
    expect(await blocks()).toBe(written);
    const inGerman = await replica.client.page(scope, { language: 'german' });
    expect(inGerman.assets).toEqual(german.assets);
    expect((await replica.client.page(scope)).assets).toEqual(english.assets);
  });

  it('with other properties shows those however large they are', async () => {
    const scope = newScope();
    const heavy = (fill: string): ScanPage => ({
      assets: ['1', '2', '3'].map((id) => asset(id, { note: fill.repeat(3_000_000) + id })),
      descriptions: [description('501')],
    });
    await replica.save({ scope, pages: [heavy('a')], completedAtMs: at(0) });

    await replica.save({ scope, pages: lastFirst(heavy('b')), completedAtMs: at(1) });

    const pages = await replica.client.chain(scope, { page_size: 2 });
    const notes = pages.flatMap(({ assets }) => assets.map(({ note }) => String(note).slice(-2)));
    expect(notes).toEqual(['b1', 'b2', 'b3']);
  });

  it('that ended before the head’s is saved as superseded already', async () => {
    const scope = newScope();
    const head = await replica.save({ scope, pages: [plainPage(0, 5)], completedAtMs: at(5) });

    const late = await replica.save({ scope, pages: [plainPage(0, 2)], completedAtMs: at(4) });

    expect(late.changed).toBe(true);
    expect((await replica.client.page(scope)).meta.revisionId).toBe(head.revisionId);
    const pinned = await replica.client.page(scope, pinTo(late));
    expect(pinned.assets).toEqual(plainPage(0, 2).assets);
  });
});

describe('The assembly of many pages (Everything is bounded)', () => {
  const pageCount = 40;
  const pageAssets = 200;
  const kinds = 300;

  /** The same scattered numbers in every run. */
  function* scattered(): Generator<number> {
    for (let number = 7; ; number = (number * 1_664_525 + 1_013_904_223) % 2 ** 32) yield number;
  }

  /** Pages as the platform gives them: each carries the descriptions of its own assets. */
  function scatteredPages(): ScanPage[] {
    const numbers = scattered();
    return Array.from({ length: pageCount }, (_, page) => {
      const assets = Array.from({ length: pageAssets }, (__, at) => {
        const kind = Math.floor(((numbers.next().value ?? 0) / 2 ** 32) * kinds);
        return asset(String(page * pageAssets + at), { classid: String(kind) });
      });
      const classes = new Set(assets.map(({ classid }) => classid));
      return { assets, descriptions: [...classes].map((classid) => description(classid)) };
    });
  }

  /** How often each page was read until the scan was committed. */
  async function readsOf(scan: Scan, afterStaging = async () => {}): Promise<number[]> {
    const reads = Array.from({ length: pageCount }, () => 0);
    const assembly = assemblyOn(store, {
      blockAssets: pageAssets,
      onRead: (positions) => {
        for (const { page } of positions) reads[page] = (reads[page] ?? 0) + 1;
      },
    });
    await replica.client.stage(scan);
    await afterStaging();
    const completed = completedScan(scan);
    const nowMs = assembly.clock.now();
    const received = { scan: completed, trace: {}, nowMs };
    await assembly.scans.insertScan(received, { dueAtMs: nowMs + 600_000, owner: 'test' });
    const claim = { trace: {}, receivedAtMs: nowMs, wasClaimed: false, tries: 1 };
    const claimed = { scan: completed, scopeKey: inventoryKeyText(scan.scope), ...claim };
    const end = await assembleScan(assembly, claimed, new AbortController().signal);
    expect(end).toMatchObject({ decision: { observedAssets: pageCount * pageAssets } });
    return reads;
  }

  const onceEach = Array.from({ length: pageCount }, () => 1);

  it('reads each page from the store once to write it, and none to compare it', async () => {
    const scope = newScope();
    const pages = scatteredPages();

    expect(await readsOf(newScan({ scope, pages }))).toEqual(onceEach);
    expect(await readsOf(newScan({ scope, pages, language: 'german' }))).toEqual(onceEach);
    expect(await readsOf(newScan({ scope, pages }))).toEqual(onceEach.map(() => 0));

    const page = await replica.client.page(scope, { language: 'german', page_size: pageAssets });
    expect(page.assets).toEqual(pages[0]?.assets);
    expect(page.descriptions).toEqual(pages[0]?.descriptions);
  });

  it('reads once what was staged without a survey, or with one of another version', async () => {
    const scope = newScope();
    const pages = scatteredPages();
    const ofPages = (scan: Scan, ...numbers: number[]) => ({
      _id: { $in: numbers.map((page) => `${scan.scanId}/${scan.epoch}/${page}/0`) },
    });
    const { chunks } = store.collections;

    const captured = newScan({ scope, pages, source: 'capture' });
    expect(await readsOf(captured)).toEqual(onceEach);
    const again = newScan({ scope, pages });
    const reads = await readsOf(again, async () => {
      const { packed, rawBytes } = await pack(Buffer.from('{"form":2}'));
      const other = { survey: new Binary(packed), surveyRawBytes: rawBytes };
      await chunks.updateOne(ofPages(again, 1), { $unset: { survey: '' } });
      await chunks.updateOne(ofPages(again, 2), { $set: other });
    });

    expect(reads).toEqual(onceEach.map((_, page) => (page === 1 || page === 2 ? 1 : 0)));
  });
});
