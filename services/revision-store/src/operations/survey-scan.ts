import { addPage, openSurvey, type Survey } from '../domain/survey.ts';
import { readRows } from './read-rows.ts';
import type { StagedPages } from './staged-pages.ts';

/**
 * Reads every page of a scan once, verifies it and notes what it holds; null while pages are
 * missing. Two unpacked pages are in memory at a time: the next one is read from the store while one is
 * surveyed. Other work of the process gets its turn in between.
 */
export async function surveyScan(staged: StagedPages, signal: AbortSignal): Promise<Survey | null> {
  const survey = openSurvey();
  let reading = staged.readFirst(0);
  for (let number = 0; number < staged.count; number += 1) {
    signal.throwIfAborted();
    const page = await reading;
    if (page === null) return null;
    if (number + 1 < staged.count) {
      reading = staged.readFirst(number + 1);
      // Awaited in the next round, unless this page ends the survey.
      reading.catch(() => {});
    }
    addPage(survey, readRows(page.text, page.rows));
  }
  return survey;
}
