import { loadConfig } from '../config.ts';
import { planLimits } from './start-scanning.ts';

const required = {
  KAFKA_BROKERS: 'localhost:1',
  MONGODB_URI: 'mongodb://localhost/',
  MONGODB_DATABASE: 'collector',
  HTTP_PORT: '0',
  REVISION_STORE_URL: 'http://localhost:1',
  BILLING_LEDGER_URL: 'http://localhost:1',
  PLATFORM_BASE_URL: 'http://localhost:1',
};

test.each([
  ['2000', '250', 125],
  ['1000', '250', 250],
  ['500', '250', 250],
  ['500', '100', 100],
])(
  'with pages of %s assets and scans of at most %s pages, room is kept for %i pages of unknown size (Refresh: Deadlines)',
  (PLATFORM_PAGE_COUNT, SCAN_PAGES_MAX, pages) => {
    const config = loadConfig({ ...required, PLATFORM_PAGE_COUNT, SCAN_PAGES_MAX });

    expect(planLimits(config).pagesMax).toBe(pages);
  },
);
