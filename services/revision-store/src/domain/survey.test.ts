import type { StagedAsset } from '@inventory/contracts/staged-rows';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { blockAssets, page, pages } from '../../test/support/arbitraries.ts';
import {
  type AssembledInventory,
  type AssemblySteps,
  assemble,
  faultlessSteps,
  type Page,
} from '../../test/support/assembled-inventory.ts';
import { pageBody } from './page-body.ts';
import { assetIdentity, descriptionKey } from './page-survey.ts';
import { ownershipLines } from './survey.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 7, numRuns: 10_000, endOnFailure: true };

interface Whole {
  readonly assets: Record<string, unknown>[];
  readonly descriptions: Record<string, unknown>[];
}

/** The whole inventory as a reader of one endless page would get it. */
function whole({ blocks }: AssembledInventory): Whole {
  const parts = blocks.map((content, index) => ({
    range: { index, from: 0, to: content.descriptionOf.length },
    content,
  }));
  return JSON.parse(`{${Buffer.concat(pageBody(parts))}}`);
}

/** A direct implementation of the rules over all rows. */
function reference(scan: readonly Page[]): Whole & { readonly amount: bigint } {
  const rows = scan.flatMap((one) => one.assets);
  const identities = [...new Set(rows.map(assetIdentity))];
  const assets = identities.map(
    (identity) => rows.findLast((row) => assetIdentity(row) === identity) as StagedAsset,
  );
  const texts = scan.flatMap((one) => one.descriptions);
  const keys = [...new Set(assets.map(descriptionKey))];
  const descriptions = keys.flatMap((key) => {
    const last = texts.findLast((text) => descriptionKey(text) === key);
    return last ? [last] : [];
  });
  const amount = assets.reduce((sum, asset) => sum + BigInt(asset.amount), 0n);
  return { assets: assets as unknown as Whole['assets'], descriptions, amount };
}

const byKey = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => JSON.stringify(row)).sort();

function matchesReference(steps: AssemblySteps) {
  return fc.property(pages, blockAssets, (scan, size) => {
    const expected = reference(scan);
    const assembled = assemble(scan, size, steps);
    const given = whole(assembled);

    expect(JSON.stringify(given.assets)).toBe(JSON.stringify(expected.assets));
    expect(String(byKey(given.descriptions))).toBe(String(byKey(expected.descriptions)));
    expect(assembled.totalCount).toBe(expected.assets.length);
    expect(assembled.totalAmount).toBe(expected.amount);
  });
}

/** The same rows in the same order, cut into pages elsewhere. */
function ignoresPageBounds(steps: AssemblySteps) {
  return fc.property(pages, fc.array(fc.nat({ max: 4 })), blockAssets, (scan, cuts, size) => {
    const rows = scan.flatMap((one) => one.assets);
    const descriptions = scan.flatMap((one) => one.descriptions);
    const recut: Page[] = cuts.map((length) => ({
      assets: rows.splice(0, length),
      descriptions: descriptions.splice(0, length),
    }));
    recut.push({ assets: rows, descriptions });

    const left = JSON.stringify(whole(assemble(recut, size, steps)));
    const right = JSON.stringify(whole(assemble(scan, size, steps)));

    expect(left).toBe(right);
  });
}

/** Another page with the same owned assets, each once, in any order, with any other fields. */
function ownershipIsASet(steps: AssemblySteps) {
  return fc.property(
    pages,
    fc.infiniteStream(fc.nat()),
    fc.option(fc.constantFrom('amount', 'classid', 'instanceid', 'assetid')),
    (scan, order, changedField) => {
      const owned = reference(scan).assets as unknown as StagedAsset[];
      const shuffled = owned
        .map((row) => ({ row, position: order.next().value as number }))
        .sort((left, right) => left.position - right.position)
        .map(({ row }) => ({ ...row, texture: 'new' }));
      const victim = shuffled[0];
      const isChanged = victim !== undefined && changedField !== null;
      if (isChanged) shuffled[0] = { ...victim, [changedField]: '424242' };
      const again = [{ assets: shuffled, descriptions: [] }];

      const before = assemble(scan, 3, steps).ownershipDigest;
      const after = assemble(again, 3, steps).ownershipDigest;

      expect(after === before).toBe(!isChanged);
    },
  );
}

/** Texts differ when, and only when, a description that an asset needs differs. */
function textsAreASet(steps: AssemblySteps) {
  return fc.property(pages, page, (scan, extra) => {
    const more = [...scan, { assets: [], descriptions: extra.descriptions }];
    const isSame =
      JSON.stringify(byKey(reference(scan).descriptions)) ===
      JSON.stringify(byKey(reference(more).descriptions));

    const before = assemble(scan, 3, steps).textDigest;
    const after = assemble(more, 3, steps).textDigest;

    expect(after === before).toBe(isSame);
  });
}

const surveying = (surveyed: AssemblySteps['surveyed']): AssemblySteps => ({
  ...faultlessSteps,
  surveyed,
});
const eachAsset = (change: (row: StagedAsset) => StagedAsset) =>
  surveying((scan) => scan.map((one) => ({ ...one, assets: one.assets.map(change) })));

/** Keeps rows at their positions, so that sources still fit, but hides repeated assets. */
function firstRowWins(scan: readonly Page[]): readonly Page[] {
  const first = new Map<string, StagedAsset>();
  return scan.map((one) => ({
    ...one,
    assets: one.assets.map((row) => {
      const identity = assetIdentity(row);
      first.set(identity, first.get(identity) ?? row);
      return first.get(identity) ?? row;
    }),
  }));
}

const planted = {
  'the first amount wins': surveying(firstRowWins),
  'only the page of the asset is searched for its description': surveying((scan) =>
    scan.map((one) => {
      const needed = new Set(one.assets.map(descriptionKey));
      const foreign = { appid: 730, classid: 'none', instanceid: 'none' };
      const own = one.descriptions.map((row) => (needed.has(descriptionKey(row)) ? row : foreign));
      return { ...one, descriptions: own };
    }),
  ),
  'amounts are not part of ownership': eachAsset((row) => ({ ...row, amount: '1' })),
  'text digests are forgotten': surveying((scan) =>
    scan.map((one) => ({ ...one, descriptions: [] })),
  ),
} satisfies Record<string, AssemblySteps>;

describe('The assembly of a scan (Reads, Refresh: unchanged) [unchanged]', () => {
  it('keeps each asset once, in the platform’s order, with what was read last [duplicates]', () => {
    fc.assert(matchesReference(faultlessSteps), { numRuns: propertyRuns(1_000) });
  });

  it('does not depend on where the platform cuts its pages', () => {
    fc.assert(ignoresPageBounds(faultlessSteps), { numRuns: propertyRuns(1_000) });
  });

  it('derives ownership from the set of assets, amounts and join keys alone', () => {
    fc.assert(ownershipIsASet(faultlessSteps), { numRuns: propertyRuns(1_000) });
  });

  it('derives texts from the descriptions that assets need', () => {
    fc.assert(textsAreASet(faultlessSteps), { numRuns: propertyRuns(1_000) });
  });

  it.each<[keyof typeof planted, (steps: AssemblySteps) => fc.IProperty<never>]>([
    ['the first amount wins', matchesReference],
    ['only the page of the asset is searched for its description', ignoresPageBounds],
    ['amounts are not part of ownership', ownershipIsASet],
    ['text digests are forgotten', textsAreASet],
  ] as never)('is caught when %s', (fault: keyof typeof planted, property) => {
    const outcome = fc.check(
      (property as (steps: AssemblySteps) => fc.IProperty<unknown>)(planted[fault]),
      faultRuns,
    );

    expect(outcome.failed).toBe(true);
    expect(String(outcome.errorInstance)).toContain('expect(');
  });
});

it('has a line for each asset: identity, amount and key of the description, as JSON', () => {
  fc.assert(
    fc.property(pages, (scan) => {
      const { assets } = reference(scan);
      const rows = assets as unknown as StagedAsset[];
      const lines = ownershipLines(assemble(scan, 3).survey);

      expect(Array.from({ length: lines.length }, (_, at) => lines.at(at))).toEqual(
        rows.map((row) => JSON.stringify([assetIdentity(row), row.amount, descriptionKey(row)])),
      );
    }),
    { numRuns: propertyRuns(300) },
  );
});
