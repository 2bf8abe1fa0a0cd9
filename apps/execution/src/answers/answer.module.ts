import { Module } from '@nestjs/common';
import { FlowModule } from '../flows/flow.module';
import { AnswerService } from './answer.service';
import { AnswerHandlers } from './answer.handlers';
import { AwaitedStateService } from './awaited-state.service';

@Module({
  imports: [FlowModule],
  controllers: [AnswerHandlers],
  providers: [AwaitedStateService, AnswerService],
  exports: [AnswerService],
})
export class AnswerModule {}
