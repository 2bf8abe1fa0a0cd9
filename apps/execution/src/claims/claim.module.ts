import { Module } from '@nestjs/common';
import { EmptyQueueCache } from './empty-queue-cache';
import { PendingClaims } from './pending-claims';
import { QueueNotifier } from './queue-notifier';

const PROVIDERS = [EmptyQueueCache, PendingClaims, QueueNotifier];

@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class ClaimModule {}
