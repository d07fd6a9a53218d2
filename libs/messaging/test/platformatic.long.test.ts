import { describeBusContract } from './bus-contract.ts';
import { describeDelivery } from './contract/kafka-delivery.ts';
import { describeRejoin } from './contract/kafka-rejoin.ts';
import { describeReplacedMember } from './contract/kafka-replaced-member.ts';
import { describeStart } from './contract/kafka-start.ts';
import { openKafkaWorld } from './support/kafka-world.ts';

const client = 'platformatic';

describeBusContract({ name: 'the bus on Kafka', openWorld: () => openKafkaWorld(client) });
describe('delivery', () => describeDelivery(client));
describe('start', () => describeStart(client));
describe('rejoining', () => describeRejoin(client));
describe('a replaced member', () => describeReplacedMember(client));
