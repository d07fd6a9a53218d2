import { runMain } from '@inventory/service-host/run-main';
import { loadConfig } from './config.ts';
import { restorePriceListsTask } from './restore-price-lists-task.ts';
import { startBillingLedger } from './start-billing-ledger.ts';
import { verifyTask } from './verify-task.ts';

void runMain({
  service: 'billing-ledger',
  loadConfig,
  start: startBillingLedger,
  tasks: [restorePriceListsTask, verifyTask],
  process,
});
