import { runMain } from '@inventory/service-host/run-main';
import { loadConfig } from './config.ts';
import { startGateway } from './start-gateway.ts';

void runMain({ service: 'gateway', loadConfig, start: startGateway, process });
