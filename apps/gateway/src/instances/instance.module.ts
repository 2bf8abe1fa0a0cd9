import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { InstanceController } from './instance.controller';

@Module({ imports: [AuthorizationModule], controllers: [InstanceController] })
export class InstanceModule {}
