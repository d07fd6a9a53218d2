import { randomInt } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { addPage, openSurvey, type Survey } from '../domain/survey.ts';
import type { StagedPages } from './staged-pages.ts';

/** Pages whose surveys are read together, while those before them are added. */
const batchPages = 16;

/**
 * Adds up the surveys of the pages of a scan; null while pages are missing. Other work of the process
 * gets its turn after each.
 */
export async function surveyScan(staged: StagedPages, signal: AbortSignal): Promise<Survey | null> {
  const survey = openSurvey(randomInt(2 ** 32));
  let reading = staged.readSurveys(0, batchPages);
  for (let from = 0; from < staged.count; from += batchPages) {
    const pages = await reading;
    if (pages === null) return null;
    reading = staged.readSurveys(from + batchPages, from + 2 * batchPages);
    // Awaited in the next round, unless a page of this one ends the survey.
    reading.catch(() => {});
    for (const page of pages) {
      signal.throwIfAborted();
      addPage(survey, page);
      await yieldToEventLoop();
    }
  }
  return survey;
}
