import { ServiceModule, type ServiceResources } from '@batuta/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { AcceptanceModule } from './acceptance/acceptance.module';
import { AnswerModule } from './answers/answer.module';
import { CommonModule } from './common.module';
import type { ExecutionConfig } from './config';
import { ControlModule } from './control/control.module';
import { CreditModule } from './credits/credit.module';
import { DeliveryModule } from './delivery/delivery.module';
import { EvidenceModule } from './evidence/evidence.module';
import { GaugeModule } from './gauges/gauge.module';
import { InstanceModule } from './instances/instance.module';
import { QueueCancellationModule } from './queue-cancellation/queue-cancellation.module';
import { RetentionModule } from './retention/retention.module';
import { RunModule } from './runs/run.module';

@Module({})
export class ExecutionModule {
  static forRoot(config: ExecutionConfig, resources: ServiceResources): DynamicModule {
    return {
      module: ExecutionModule,
      imports: [
        ServiceModule.forRoot(resources),
        CommonModule.forRoot(config),
        AcceptanceModule,
        DeliveryModule,
        ControlModule,
        InstanceModule,
        RunModule,
        AnswerModule,
        CreditModule,
        QueueCancellationModule,
        EvidenceModule,
        RetentionModule,
        GaugeModule,
      ],
    };
  }
}
