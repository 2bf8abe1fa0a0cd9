import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { EnvironmentModule } from '../environments/environment.module';
import { HomeService } from './home.service';
import { OverviewController } from './overview.controller';

@Module({
  imports: [AccessModule, EnvironmentModule],
  controllers: [OverviewController],
  providers: [HomeService],
  exports: [HomeService],
})
export class OverviewModule {}
