import { Module } from '@nestjs/common';
import { EmptyQueueCache } from './empty-queue-cache';
import { PendingClaims } from './pending-claims';

@Module({ providers: [EmptyQueueCache, PendingClaims], exports: [EmptyQueueCache, PendingClaims] })
export class ClaimModule {}
