import { describeBusContract } from './bus-contract.ts';
import { openKafkaWorld } from './support/kafka-world.ts';

describeBusContract({ name: 'the bus on Kafka', openWorld: openKafkaWorld });
