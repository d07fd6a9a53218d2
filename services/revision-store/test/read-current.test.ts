import { changesPageMeta, changesPageMetaHeader } from '@inventory/contracts/internal/changes';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { contentCodings } from '@inventory/contracts/vocabulary';
import { pack } from '@inventory/runtime/packed-bytes';
import { newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { Binary } from 'mongodb';
import { joinTexts } from '../src/domain/joined-texts.ts';
import { createAssetIndexStore } from '../src/storage/asset-index-store.ts';
import { toNumberBytes } from '../src/storage/binary-fields.ts';
import { createBlockStore } from '../src/storage/block-store.ts';
import { createScopeStore } from '../src/storage/scope-store.ts';
import { asset, description, plainPage, type ScanPage } from './support/scan-builder.ts';
import { type GivenPage, pinTo } from './support/store-client.ts';
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

/** Three blocks; descriptions shared within and across blocks, some missing. */
function variedPages(): ScanPage[] {
  return Array.from({ length: 3 }, (_, page) => ({
    assets: Array.from({ length: 1_500 }, (_asset, at) => {
      const number = page * 1_500 + at;
      return asset(String(number), {
        classid: String(number % 97),
        instanceid: String(number % 3),
      });
    }),
    descriptions: Array.from({ length: 97 * 3 }, (_text, at) =>
      description(String(at % 97), String(at % 3)),
    ).filter((_text, at) => at % 5 !== page),
  }));
}

const joinKey = (row: Record<string, unknown>) => `${row['classid']}_${row['instanceid']}`;

function expectOwnDescriptions(page: GivenPage, known: ReadonlySet<string>): void {
  const needed = new Set(page.assets.map(joinKey).filter((key) => known.has(key)));
  const given = page.descriptions.map(joinKey);
  expect(given.length).toBe(new Set(given).size);
  expect(new Set(given)).toEqual(needed);
}

describe('GET of a page (Reads: page_size, chains) [current-pinned-chain, page-size]', () => {
  const scope = newScope();
  const pages = variedPages();
  const all = pages.flatMap((page) => page.assets);
  const known = new Set(pages.flatMap((page) => page.descriptions).map(joinKey));

  beforeAll(() => replica.save({ scope, pages }));

  it.each([1_999, 2_000, 777, 1_000])(
    'of %d assets: a chain gives each once, in order',
    async (size) => {
      const chain = await replica.client.chain(scope, { page_size: size });

      expect(chain.flatMap((page) => page.assets)).toEqual(all);
      for (const page of chain) expectOwnDescriptions(page, known);
    },
  );

  it('of one asset at any position is that asset with its description', async () => {
    for (const position of [0, 1_999, 2_000, 4_499]) {
      const page = await replica.client.page(scope, { page_size: 1, position });

      expect(page.assets).toEqual([all[position]]);
      expectOwnDescriptions(page, known);
    }
  });

  it.each(contentCodings)(
    'that is a whole block leaves packed in %s: packed once, the same bytes (Compression)',
    async (coding) => {
      const { assetBlocks, packedBlocks } = store.collections;
      const kept = () =>
        packedBlocks.find({ scope: inventoryKeyText(scope), _id: { $regex: `/${coding}$` } });
      const plain = await replica.client.chain(scope);

      const packed = await replica.client.chain(scope, { coding });
      const keptBlocks = await kept().toArray();
      const again = await replica.client.chain(scope, { coding });
      const others = await replica.client.chain(scope, { coding, page_size: 1_999 });

      expect(packed.map(({ text }) => text)).toEqual(plain.map(({ text }) => text));
      expect(packed.map(({ meta }) => meta.packed?.coding)).toEqual([coding, coding, coding]);
      expect(plain.map(({ meta }) => meta.packed?.coding)).toEqual(['zstd', 'zstd', 'zstd']);
      expect(again).toEqual(packed);
      expect(keptBlocks).toHaveLength(await assetBlocks.countDocuments({ set: keptSet(packed) }));
      expect(await kept().toArray()).toEqual(keptBlocks);
      // Its last page is not the whole of a block, as no other is.
      expect(others.map(({ meta }) => meta.packed)).toEqual([null, null, null]);
    },
  );

  it.each([
    [199, undefined],
    [200, 'zstd'],
  ])(
    'of all %d assets leaves in %s for a client that accepts no coding (Compression)',
    async (count, coding) => {
      const small = newScope();
      const rows = plainPage(0, count);
      await replica.save({ scope: small, pages: [rows] });

      const [first, again] = [
        await replica.client.page(small),
        await replica.client.page(small, { page_size: count }),
      ];

      expect(first.meta.packed?.coding).toBe(coding);
      expect(first.assets).toEqual(rows.assets);
      expect(again.text).toBe(first.text);
    },
  );

  const keptSet = ([first]: readonly GivenPage[]) => first?.meta.revisionId ?? '';

  it('that is packed goes with its inventory, also where it was packed meanwhile', async () => {
    const erased = newScope();
    const saved = await replica.save({ scope: erased, pages: [plainPage(0, 3)] });
    const { packedBlocks } = store.collections;
    const blocks = createBlockStore(store.collections);
    const ofIt = { scope: inventoryKeyText(erased) };
    await replica.client.page(erased, { coding: 'br' });
    const [kept] = await packedBlocks.find({ ...ofIt, _id: /br$/ }).toArray();

    expect(await replica.client.erase(erased)).toBe(204);
    const late = {
      revisionId: saved.revisionId,
      rowSetId: null,
      index: 0,
      coding: 'gzip',
    } as const;
    const packing = { coding: 'gzip', bytes: Buffer.from('x'), rawBytes: 1, crc32: 0 } as const;
    await blocks.keepPacked(ofIt.scope, { ...late, textSetId: kept?.set ?? '' }, packing);

    expect(kept).toBeDefined();
    expect(await packedBlocks.countDocuments(ofIt)).toBe(0);
  });

  it('beyond the end is 422', async () => {
    expect((await replica.client.page(scope, { position: 4_500 })).status).toBe(422);
  });

  it.each([
    ['a page of nothing', { page_size: 0 }],
    ['a page too large', { page_size: 2_001 }],
    ['a negative position', { position: -1 }],
    ['an unknown language', { language: 'klingon' }],
    ['a revision alone', { revision_id: 'invrev_01900000-0000-7000-8000-000000000000' }],
    ['an id that is none', { revision_id: 'x', observation_id: 'y' }],
  ])('with %s is 422', async (_what, query) => {
    expect((await replica.client.page(scope, query)).status).toBe(422);
  });

  it('of an unknown inventory is 404, of an unknown pin 410, of another inventory’s pin 410', async () => {
    const pinned = pinTo((await replica.client.page(scope)).meta);
    const unknown = {
      revision_id: 'invrev_01900000-0000-7000-8000-000000000000',
      observation_id: 'invobs_01900000-0000-7000-8000-000000000000',
    };
    const other = newScope();
    await replica.save({ scope: other, pages: [plainPage(0, 1)] });

    expect(await replica.client.page(newScope())).toEqual({
      status: 404,
      code: 'inventory_revision_not_found',
    });
    for (const [of, pin] of [
      [scope, unknown],
      [other, pinned],
      [scope, { ...pinned, revision_id: unknown.revision_id }],
    ] as const) {
      expect(await replica.client.page(of, pin)).toEqual({ status: 410, code: 'cursor_expired' });
    }
  });

  it.each(['/inventories/123/730/2/page', '/inventories/76561234567890123/0/2/page'])(
    '%s is 422',
    async (path) => {
      const response = await fetch(`${replica.url}${path}?language=english&page_size=1`);

      expect(response.status).toBe(422);
    },
  );
});

describe('GET of assets by their ids (Reads: Current lookups) [current-lookups]', () => {
  const indexesOf = (scope: InventoryKey) =>
    store.collections.assetIndexes.find({
      scope: inventoryKeyText(scope),
      hashes: { $exists: true },
    });

  it('is one page of those that are there, in the order of asking, with what is not there', async () => {
    const scope = newScope();
    const pages = variedPages();
    const all = pages.flatMap((page) => page.assets);
    await replica.save({ scope, pages });
    const assetid = ['4499', '0', '2000', '18446744073709551615', '0', '1999'];

    const found = await replica.client.assets(scope, { assetid });
    const bare = await replica.client.assets(scope, { assetid, descriptions: 'none' });

    const { meta, assets } = found;
    expect(assets).toEqual([all[4_499], all[0], all[2_000], all[1_999]]);
    expect([meta.notInRevision, meta.nextPosition]).toEqual([['18446744073709551615'], null]);
    expect(meta.totalCount).toBe(4_500);
    expect(bare).toMatchObject({ meta, assets, descriptions: [] });
    expect(await indexesOf(scope).toArray()).toHaveLength(1);
  });

  it('of an inventory that is not saved is 404; what it was found by goes with the inventory', async () => {
    const scope = newScope();
    const { revisionId } = await replica.save({ scope, pages: [plainPage(0, 3)] });
    const assetid = ['1'];
    await replica.client.assets(scope, { assetid });
    const kept = await indexesOf(scope).toArray();

    expect(await replica.client.erase(scope)).toBe(204);
    const late = { scope: inventoryKeyText(scope), revisionId, totalCount: 3 };
    await createAssetIndexStore(store.collections).keepIndex(late, new Uint32Array(3));

    expect(kept).toHaveLength(1);
    expect(await indexesOf(scope).toArray()).toEqual([]);
    const code = 'inventory_revision_not_found';
    expect(await replica.client.assets(scope, { assetid })).toEqual({ status: 404, code });
  });

  it('without descriptions is any page of Current', async () => {
    const scope = newScope();
    await replica.save({ scope, pages: [plainPage(0, 3)] });

    const [page, bare] = [
      await replica.client.page(scope),
      await replica.client.page(scope, { descriptions: 'none', coding: 'gzip' }),
    ];

    expect(page.descriptions).toHaveLength(1);
    expect(bare).toEqual({
      ...page,
      text: expect.anything(),
      descriptions: [],
      meta: { ...page.meta, packed: null },
    });
  });
});

describe('GET of lines (Export) [export]', () => {
  it('is a run of the pinned observation, and the next one continues there', async () => {
    const scope = newScope();
    const pages = variedPages();
    const { observationId } = await replica.save({ scope, pages });
    const all = pages.flatMap((page) => page.assets);

    const first = await replica.client.lines(scope, { format: 'ndjson', position: 1_999 });
    await replica.save({ scope, pages: [plainPage(0, 1)] });
    const next = await replica.client.lines(scope, {
      format: 'csv',
      position: first.meta.nextPosition ?? 0,
      observation_id: observationId,
    });

    const [line, ...rest] = first.text.split('\n');
    expect([JSON.parse(line ?? '').asset, rest]).toEqual([all[1_999], ['']]);
    expect(first.meta).toMatchObject({
      observationId,
      nextPosition: 2_000,
      totalCount: 4_500,
    });
    expect(next.text.split('\r\n')).toHaveLength(2_001);
    expect(next.text).toMatch(/^2000,60,2,730,2,1,,/);
  });

  it('at the end is empty, after it 422; of an unknown inventory 404, of an unknown observation 410', async () => {
    const scope = newScope();
    await replica.save({ scope, pages: [plainPage(0, 2)] });
    const lines = (of: InventoryKey, query: object) =>
      replica.client.lines(of, { format: 'ndjson', ...query });
    const observation_id = 'invobs_01900000-0000-7000-8000-000000000000';

    const end = await lines(scope, { position: 2 });

    expect([end.status, end.text, end.meta.nextPosition]).toEqual([200, '', null]);
    expect((await lines(scope, { position: 3 })).status).toBe(422);
    expect((await lines(newScope(), {})).code).toBe('inventory_revision_not_found');
    expect((await lines(scope, { observation_id })).code).toBe('cursor_expired');
  });
});

describe('The bytes of a page', () => {
  it('are the stored bytes: inventory JSON is not parsed when it is served', async () => {
    const scope = newScope();
    const { assets, descriptions } = plainPage(0, 3);
    const saved = await replica.save({ scope, pages: [{ assets, descriptions }] });
    const odd = assets.map((one) => ` \n${JSON.stringify(one, null, '\t')}\r\n `);
    const oddText = JSON.stringify(descriptions[0]).replaceAll(':', '\n : ');
    await plant(saved.revisionId, odd, oddText);

    const whole = await replica.client.page(scope);
    const middle = await replica.client.page(scope, { page_size: 1, position: 1 });

    expect(whole.text).toBe(`"assets":[${odd.join(',')}],"descriptions":[${oddText}]`);
    expect(middle.text).toBe(`"assets":[${odd[1]}],"descriptions":[${oddText}]`);
  });

  /** Writes other texts into the blocks of a saved revision. */
  async function plant(revisionId: string, assets: string[], text: string): Promise<void> {
    const { assetBlocks, textBlocks } = store.collections;
    const joined = joinTexts(assets.map((one) => Buffer.from(one)));
    const packedAssets = await pack(joined.bytes);
    const block = await assetBlocks.findOneAndUpdate(
      { set: revisionId },
      {
        $set: {
          assets: new Binary(packedAssets.packed),
          assetsRawBytes: packedAssets.rawBytes,
          assetLengths: toNumberBytes(joined.lengths),
        },
      },
    );
    const texts = joinTexts([Buffer.from(text)]);
    const packedTexts = await pack(texts.bytes);
    await textBlocks.updateOne(
      { scope: block?.scope ?? '' },
      {
        $set: {
          texts: new Binary(packedTexts.packed),
          textsRawBytes: packedTexts.rawBytes,
          lengths: toNumberBytes(texts.lengths),
        },
      },
    );
  }
});

describe('GET of changes (Beyond the interface: Changes) [changes-are-a-function-of-two-revisions, revision-expired]', () => {
  async function changes(scope: InventoryKey, query: Record<string, string>) {
    const search = new URLSearchParams({ language: 'english', page_size: '2', ...query });
    const path = `/inventories/${inventoryKeyText(scope)}/changes?${search}`;
    const response = await fetch(`${replica.url}${path}`);
    const text = await response.text();
    const meta = response.headers.get(changesPageMetaHeader);
    return {
      status: response.status,
      meta: meta === null ? null : changesPageMeta.parse(JSON.parse(meta)),
      body: JSON.parse(meta === null ? text : `{${text}}`),
    };
  }

  it('gives what differs between the revision and the head, in pages that are pinned to both', async () => {
    const scope = newScope();
    const page = (ids: readonly string[], amount: string): ScanPage => ({
      assets: ids.map((id) => asset(id, { amount })),
      descriptions: [description('501')],
    });
    const old = await replica.save({ scope, pages: [page(['1', '9', '10'], '1')] });
    const head = await replica.save({ scope, pages: [page(['100', '10', '9'], '2')] });

    const first = await changes(scope, { since: old.revisionId });
    await replica.save({ scope, pages: [page(['1'], '7')] });
    const after_key = first.meta?.lastKey ?? '';
    const pinned = { since: old.revisionId, ...pinTo(head), after_key };
    const second = await changes(scope, pinned);

    expect(head.previousRevisionId).toBe(old.revisionId);
    expect(first.meta).toMatchObject({
      ...{ scope, observationId: head.observationId, language: 'english' },
      fromRevisionId: old.revisionId,
      toRevisionId: head.revisionId,
      counts: { added: 1, removed: 1, changed: 2 },
    });
    expect(first.body).toEqual({
      added: [],
      removed: [asset('1')],
      changed: [{ asset: asset('9', { amount: '2' }), amount_before: '1' }],
      descriptions: [description('501')],
    });
    expect(second.meta).toMatchObject({
      toRevisionId: head.revisionId,
      counts: null,
      lastKey: null,
    });
    expect(second.body).toEqual({
      added: [asset('100', { amount: '2' })],
      removed: [],
      changed: [{ asset: asset('10', { amount: '2' }), amount_before: '1' }],
      descriptions: [description('501')],
    });
  });

  it('refuses what leads nowhere', async () => {
    const [scope, other] = [newScope(), newScope()];
    const { revisionId: since } = await replica.save({ scope, pages: [plainPage(0, 1)] });
    const { revisionId: foreign } = await replica.save({ scope: other, pages: [plainPage(0, 1)] });

    const refusals = [
      await changes(newScope(), { since }),
      await changes(scope, { since: foreign }),
      await changes(scope, { since, after_key: '011a' }),
    ];

    expect(refusals.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'inventory_revision_not_found'],
      [422, 'invalid_request'],
      [422, 'invalid_request'],
    ]);
    expect(refusals[1]?.body.error.detail.issues).toEqual([
      { in: 'query', field: 'since', reason: 'is no revision of this inventory' },
    ]);
  });
});

test('pages that are read together share the read of their heads, and a corrupt one fails alone (architecture: everything is bounded) [current-pinned-chain]', async () => {
  const { scopes } = store.collections;
  const saved = Array.from({ length: 3 }, () => newScope());
  for (const [index, scope] of saved.entries()) {
    await replica.save({ scope, pages: [plainPage(0, index + 1)] });
  }
  const keys = saved.map(inventoryKeyText);
  const corrupt = keys[2] ?? '';
  const head = 'head.observationId' as const;
  await scopes.updateOne({ _id: corrupt }, { $unset: { [head]: '' } });
  let commands = 0;
  const find = (filter: object, options: object) => {
    commands += 1;
    return scopes.find(filter, options);
  };
  const counted = createScopeStore(
    Object.assign(Object.create(scopes), { find }),
    60_000,
    testLogger,
  );

  const reads = [...keys, keys[0] ?? '', 'of/nothing/saved'].map((key) => counted.readHead(key));
  const read = await Promise.allSettled(reads);

  expect(commands).toBe(1);
  const counts = read.map((one) =>
    one.status === 'fulfilled' ? (one.value?.revision.totalCount ?? null) : 'corrupt',
  );
  expect(counts).toEqual([1, 2, 'corrupt', 1, null]);
});
