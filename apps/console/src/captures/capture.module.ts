import { Module } from '@nestjs/common';
import { FlowModule } from '../flows/flow.module';
import { OriginModule } from '../origins/origin.module';
import { RunModule } from '../runs/run.module';
import { CaptureController } from './capture.controller';

@Module({ imports: [FlowModule, OriginModule, RunModule], controllers: [CaptureController] })
export class CaptureModule {}
