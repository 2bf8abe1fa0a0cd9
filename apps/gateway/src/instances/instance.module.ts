import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { InstancesController } from './instance.controller';

@Module({ imports: [AuthorizationModule], controllers: [InstancesController] })
export class InstanceModule {}
