import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { OriginAccessService } from './origin-access.service';
import { OriginController } from './origin.controller';

@Module({
  imports: [AccessModule],
  controllers: [OriginController],
  providers: [OriginAccessService],
  exports: [OriginAccessService],
})
export class OriginModule {}
