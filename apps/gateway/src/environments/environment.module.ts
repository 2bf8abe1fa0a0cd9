import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { EnvironmentsController } from './environment.controller';
import { EnvironmentRepository } from './environment.repository';

@Module({
  imports: [AuthorizationModule],
  controllers: [EnvironmentsController],
  providers: [EnvironmentRepository],
})
export class EnvironmentModule {}
