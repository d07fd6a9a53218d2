import { runMain } from '@inventory/service-host/run-main';
import { loadConfig } from './config.ts';
import { startBillingLedger } from './start-billing-ledger.ts';

void runMain({ service: 'billing-ledger', loadConfig, start: startBillingLedger, process });
