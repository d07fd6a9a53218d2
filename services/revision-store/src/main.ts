import { setFlagsFromString } from 'node:v8';
import { runMain } from '@inventory/service-host/run-main';
import { loadConfig } from './config.ts';
import { startRevisionStore } from './start-revision-store.ts';

// As in the refresh-collector: rows outlive a collection of the young generation and are not long-lived.
setFlagsFromString('--no-allocation-site-pretenuring');

void runMain({ service: 'revision-store', loadConfig, start: startRevisionStore, process });
