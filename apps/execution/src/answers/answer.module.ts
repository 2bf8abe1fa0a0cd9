import { Module } from '@nestjs/common';
import { FlowModule } from '../flows/flow.module';
import { AnswerHandlers } from './answer.handlers';
import { AwaitedStateService } from './awaited-state.service';

@Module({ imports: [FlowModule], controllers: [AnswerHandlers], providers: [AwaitedStateService] })
export class AnswerModule {}
