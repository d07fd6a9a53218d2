import type { StagedAsset, StagedDescription } from '@inventory/contracts/staged-rows';
import { blockCount, planBlock, planTexts } from '../../src/domain/block-plan.ts';
import { type JoinedTexts, joinTexts } from '../../src/domain/joined-texts.ts';
import type { BlockContent } from '../../src/domain/page-body.ts';
import { setDigest } from '../../src/domain/set-digest.ts';
import {
  addPage,
  neededDescriptions,
  openSurvey,
  ownershipLines,
  pageOf,
  type RowSource,
  rowOf,
  type Survey,
  textLines,
  totalAmount,
  totalCount,
} from '../../src/domain/survey.ts';

export interface Page {
  readonly assets: readonly StagedAsset[];
  readonly descriptions: readonly StagedDescription[];
}

/** What a scan's pages become, all in memory. */
export interface AssembledInventory {
  readonly survey: Survey;
  readonly blocks: readonly BlockContent[];
  readonly totalCount: number;
  readonly totalAmount: bigint;
  readonly ownershipDigest: string;
  readonly textDigest: string;
}

/** The steps that a planted fault can replace. */
export interface AssemblySteps {
  /** The pages as they are surveyed; what is written comes from the pages themselves. */
  readonly surveyed: (pages: readonly Page[]) => readonly Page[];
  readonly assetText: (asset: StagedAsset, pages: readonly Page[]) => string;
  readonly join: (texts: readonly (Buffer | undefined)[]) => JoinedTexts;
}

export const faultlessSteps: AssemblySteps = {
  surveyed: (pages) => pages,
  assetText: (asset) => JSON.stringify(asset),
  join: joinTexts,
};

/** A collision-free stand-in for a digest: the text itself. */
const plainDigest = (text: string): string => text;

export function assemble(
  pages: readonly Page[],
  blockAssets: number,
  steps: AssemblySteps = faultlessSteps,
): AssembledInventory {
  const survey = openSurvey();
  for (const page of steps.surveyed(pages)) {
    const descriptions = page.descriptions.map((description) => ({
      ...description,
      textDigest: JSON.stringify(description),
    }));
    addPage(survey, { assets: page.assets, descriptions });
  }
  const textAt = (source: RowSource, kind: keyof Page): Buffer | undefined => {
    if (source < 0) return undefined;
    const row = pages[pageOf(source)]?.[kind][rowOf(source)];
    const isAsset = kind === 'assets';
    return Buffer.from(isAsset ? steps.assetText(row as StagedAsset, pages) : JSON.stringify(row));
  };
  const count = blockCount(totalCount(survey), blockAssets);
  const blocks = Array.from({ length: count }, (_, index): BlockContent => {
    const plan = planBlock(survey, index, blockAssets);
    const { sources } = planTexts(survey, index, blockAssets, plan.descriptionKeys);
    return {
      assets: steps.join(plan.assetSources.map((source) => textAt(source, 'assets'))),
      descriptionOf: Uint16Array.from(plan.descriptionOf),
      descriptionNumbers: Uint32Array.from(plan.descriptionNumbers),
      texts: steps.join(sources.map((source) => textAt(source, 'descriptions'))),
    };
  });
  const needed = neededDescriptions(survey);
  return {
    survey,
    blocks,
    totalCount: totalCount(survey),
    totalAmount: totalAmount(survey),
    ownershipDigest: digestOf(ownershipLines(survey), totalCount(survey)),
    textDigest: digestOf(textLines(survey, needed), needed.size),
  };
}

export function digestOf(lines: Iterable<string>, size: number): string {
  const computation = setDigest(lines, size, plainDigest);
  for (let step = computation.next(); ; step = computation.next()) {
    if (step.done) return step.value;
  }
}
