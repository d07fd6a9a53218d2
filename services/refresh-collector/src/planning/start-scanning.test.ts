import { requiredSettings } from '../../test/required-settings.ts';
import { loadConfig } from '../config.ts';
import { planLimits } from './start-scanning.ts';

test.each([
  ['2000', '250', 125],
  ['1000', '250', 250],
  ['500', '250', 250],
  ['500', '100', 100],
])(
  'with pages of %s assets and scans of at most %s pages, capacity is kept for %i pages of unknown size (Refresh: Deadlines)',
  (PLATFORM_PAGE_COUNT, SCAN_PAGES_MAX, pages) => {
    const config = loadConfig({ ...requiredSettings, PLATFORM_PAGE_COUNT, SCAN_PAGES_MAX });

    expect(planLimits(config).pagesMax).toBe(pages);
  },
);
