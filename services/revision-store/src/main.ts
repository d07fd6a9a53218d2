import { runMain } from '@inventory/service-host/run-main';
import { loadConfig } from './config.ts';
import { startRevisionStore } from './start-revision-store.ts';

void runMain({ service: 'revision-store', loadConfig, start: startRevisionStore, process });
