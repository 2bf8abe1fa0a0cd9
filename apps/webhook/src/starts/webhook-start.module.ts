import { Module } from '@nestjs/common';
import { MappingModule } from '../mapping/mapping.module';
import { PayloadModule } from '../payload/payload.module';
import { SignatureModule } from '../signature/signature.module';
import { MappedStartService } from './mapped-start.service';
import { WebhookStartHandlers } from './webhook-start.handlers';
import { WebhookStartMetrics } from './webhook-start.metrics';
import { WebhookStartService } from './webhook-start.service';

@Module({
  imports: [PayloadModule, MappingModule, SignatureModule],
  controllers: [WebhookStartHandlers],
  providers: [WebhookStartService, MappedStartService, WebhookStartMetrics],
  exports: [MappedStartService],
})
export class WebhookStartModule {}
