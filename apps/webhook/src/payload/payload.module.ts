import { Module } from '@nestjs/common';
import { PayloadMemory } from './payload-memory';

@Module({ providers: [PayloadMemory], exports: [PayloadMemory] })
export class PayloadModule {}
