import { Module } from '@nestjs/common';
import { InstanceModule } from '../instances/instance.module';
import { ControlHandlers } from './control.handlers';
import { ControlService } from './control.service';

@Module({ imports: [InstanceModule], controllers: [ControlHandlers], providers: [ControlService] })
export class ControlModule {}
