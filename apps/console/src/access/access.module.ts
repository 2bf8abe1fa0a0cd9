import { Module } from '@nestjs/common';
import { ProcessAccessService } from './process-access.service';

/** Gives other modules ProcessAccessService, which decides what an account may do with a process. */
@Module({ providers: [ProcessAccessService], exports: [ProcessAccessService] })
export class AccessModule {}
