import { describeRejoin } from './contract/kafka-rejoin.ts';

describeRejoin();
