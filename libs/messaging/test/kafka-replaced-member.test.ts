import { describeReplacedMember } from './contract/kafka-replaced-member.ts';

describeReplacedMember();
