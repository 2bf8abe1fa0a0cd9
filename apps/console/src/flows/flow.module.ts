import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AllowedKeysModule } from '../allowed-keys/allowed-keys.module';
import { MatrixModule } from '../matrix/matrix.module';
import { FlowController } from './flow.controller';
import { FlowService } from './flow.service';

@Module({
  imports: [AccessModule, AllowedKeysModule, MatrixModule],
  controllers: [FlowController],
  providers: [FlowService],
  exports: [FlowService],
})
export class FlowModule {}
