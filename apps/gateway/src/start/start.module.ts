import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { StartClient } from './start-client';
import { StartController } from './start.controller';

@Module({
  imports: [AuthorizationModule],
  controllers: [StartController],
  providers: [StartClient],
  exports: [StartClient],
})
export class StartModule {}
