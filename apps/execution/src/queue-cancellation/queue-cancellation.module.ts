import { Module } from '@nestjs/common';
import { InstanceModule } from '../instances/instance.module';
import { QueueCancellationService } from './queue-cancellation.service';
import { QueueCancellationSweeps } from './queue-cancellation.sweeps';

@Module({ imports: [InstanceModule], providers: [QueueCancellationService, QueueCancellationSweeps] })
export class QueueCancellationModule {}
