import { runMain } from '@inventory/service-host/run-main';
import { loadConfig } from './config.ts';
import { startEventStream } from './start-event-stream.ts';

void runMain({ service: 'event-stream', loadConfig, start: startEventStream, process });
