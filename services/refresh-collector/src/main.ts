import { runMain } from '@inventory/service-host/run-main';
import { loadConfig } from './config.ts';
import { startRefreshCollector } from './start-refresh-collector.ts';

void runMain({ service: 'refresh-collector', loadConfig, start: startRefreshCollector, process });
