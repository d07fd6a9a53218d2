import type { StagedAsset, StagedDescription } from '@inventory/contracts/staged-rows';
import { blockCount, planBlock, planTexts, type TextPlan } from '../../src/domain/block-plan.ts';
import { cutByBytes, joinTexts, partEnd, type TextPart } from '../../src/domain/joined-texts.ts';
import type { BlockContent } from '../../src/domain/page-body.ts';
import { type PageSurvey, surveyRows } from '../../src/domain/page-survey.ts';
import { type Lines, setDigest } from '../../src/domain/set-digest.ts';
import {
  addPage,
  neededDescriptions,
  openSurvey,
  ownershipLines,
  pageOf,
  type RowSource,
  rowNumberOf,
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
  readonly join: typeof joinTexts;
}

export const faultlessSteps: AssemblySteps = {
  surveyed: (pages) => pages,
  assetText: (asset) => JSON.stringify(asset),
  join: joinTexts,
};

/** Rows are a hundred bytes or so: blocks are cut into parts. */
const partBytesMax = 250;

export function assemble(
  pages: readonly Page[],
  blockAssets: number,
  steps: AssemblySteps = faultlessSteps,
): AssembledInventory {
  const survey = openSurvey();
  for (const page of steps.surveyed(pages)) addPage(survey, surveyed(page));
  const textAt = (source: RowSource, kind: keyof Page): Buffer | undefined => {
    if (source < 0) return undefined;
    const row = pages[pageOf(source)]?.[kind][rowNumberOf(source)];
    const isAsset = kind === 'assets';
    return Buffer.from(isAsset ? steps.assetText(row as StagedAsset, pages) : JSON.stringify(row));
  };
  const count = blockCount(totalCount(survey), blockAssets);
  const inParts = ({ sources, lengths }: TextPlan, kind: keyof Page): TextPart[] => {
    const starts = cutByBytes(lengths, partBytesMax);
    return starts.map((from, part) => {
      const own = sources.slice(from, partEnd(starts, part, sources.length));
      return { from, joined: steps.join(Array.from(own, (source) => textAt(source, kind))) };
    });
  };
  const blocks = Array.from({ length: count }, (_, index): BlockContent => {
    const plan = planBlock(survey, index, blockAssets);
    const texts = planTexts(survey, index, blockAssets, plan.descriptionKeys);
    return {
      assets: inParts(plan.assets, 'assets'),
      descriptionOf: plan.descriptionOf,
      descriptionNumbers: Uint32Array.from(plan.descriptionNumbers),
      texts: inParts(texts, 'descriptions'),
    };
  });
  return {
    survey,
    blocks,
    totalCount: totalCount(survey),
    totalAmount: totalAmount(survey),
    ownershipDigest: digestOf(ownershipLines(survey)),
    textDigest: digestOf(textLines(survey, neededDescriptions(survey))),
  };
}

function surveyed({ assets, descriptions }: Page): PageSurvey {
  const end = (row: object) => Buffer.byteLength(JSON.stringify(row));
  return surveyRows({
    assets: assets.map((row) => ({ row, start: 0, end: end(row), digest: 0 })),
    descriptions: descriptions.map((row) => {
      return { row, start: 0, end: end(row), digest: JSON.stringify(row) };
    }),
  });
}

export function digestOf(lines: Lines): string {
  const computation = setDigest(lines);
  for (let step = computation.next(); ; step = computation.next()) {
    if (step.done) return step.value;
  }
}
