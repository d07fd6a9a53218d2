import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { only } from '@inventory/testkit/only';
import { surveyRows } from '../domain/page-survey.ts';
import type { CompletedScan } from '../domain/scan.ts';
import type { ScanComparison } from '../domain/scan-comparison.ts';
import { addPage, openSurvey } from '../domain/survey.ts';
import type { StagedPages } from './staged-pages.ts';
import { writeRevision } from './write-revision.ts';

const pageCount = 16;
const row = Buffer.from('{"a":1}');

/** A new revision of one asset a page and a block, each group of four blocks written when released. */
function openWriting(textOf = (_page: number) => row) {
  const survey = openSurvey();
  for (let page = 0; page < pageCount; page += 1) {
    const ids = { appid: 730, contextid: '2', classid: '1', instanceid: '0', amount: '1' };
    const asset = { row: { ...ids, assetid: String(page) }, start: 0, end: row.length, digest: 0 };
    addPage(survey, surveyRows({ assets: [asset], descriptions: [] }));
  }
  const read: number[] = [];
  const started: number[] = [];
  const releases: (() => void)[] = [];
  const staged: StagedPages = {
    count: pageCount,
    readSurveys: () => Promise.reject(new Error('unused')),
    async readPage(page) {
      read.push(page);
      const spans = Uint32Array.of(0, row.length);
      const assets = { from: 0, spans, text: () => textOf(page), free() {}, packed: null };
      return { assets, descriptions: assets };
    },
  };
  const unused = () => Promise.reject(new Error('unused'));
  const blocks = {
    async writeAssets({ index }: { readonly index: number }) {
      started.push(index);
      await new Promise<void>((resolve) => releases.push(resolve));
    },
    writeTexts: unused,
    writePart: unused,
    readDescriptionKeys: unused,
    readAssets: unused,
    readPart: unused,
  };
  const revision = { revisionId: 'invrev_1', blockAssets: 1, totalCount: pageCount };
  const observation = { revision, language: 'english', texts: { english: { textSetId: 't' } } };
  const verdict = { observation, writesAssets: true, writesTexts: false, writesRows: false };
  const scope = { platform_id: '1', app_id: 730, context_id: '2' };
  const writing = writeRevision(
    only(blocks),
    {
      scan: { scope } as unknown as CompletedScan,
      staged,
      survey,
      verdict: verdict as unknown as ScanComparison,
      described: [],
    },
    new AbortController().signal,
  );
  const release = () => {
    for (const resolve of releases.splice(0)) resolve();
  };
  return { writing, read, started, release };
}

test('the next group of blocks is read while one is written, and no other (Everything is bounded)', async () => {
  const { writing, read, started, release } = openWriting();

  for (let group = 1; group <= 4; group += 1) {
    await yieldToEventLoop();
    expect(started).toHaveLength(4 * group);
    expect(read).toHaveLength(Math.min(pageCount, 4 * (group + 1)));
    release();
  }

  await (await writing)?.written;
  expect(read).toEqual(Array.from({ length: pageCount }, (_, page) => page));
});

test('a block whose texts are not whole is never written (Complete)', async () => {
  const { writing, started, release } = openWriting((page) => (page === 2 ? Buffer.of() : row));
  const ended = writing.catch(String);
  for (let tick = 0; tick < 9; tick += 1) {
    await yieldToEventLoop();
    release();
  }

  expect(await ended).toMatch(/texts of a block are whole/);
  expect(started).not.toContain(2);
});
