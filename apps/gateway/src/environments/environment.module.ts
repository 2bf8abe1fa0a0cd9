import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { EnvironmentController } from './environment.controller';
import { EnvironmentRepository } from './environment.repository';

@Module({
  imports: [AuthorizationModule],
  controllers: [EnvironmentController],
  providers: [EnvironmentRepository],
})
export class EnvironmentModule {}
