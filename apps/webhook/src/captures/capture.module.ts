import { Module } from '@nestjs/common';
import { MappingModule } from '../mapping/mapping.module';
import { PayloadModule } from '../payload/payload.module';
import { SignatureModule } from '../signature/signature.module';
import { WebhookStartModule } from '../starts/webhook-start.module';
import { CaptureIntakeService } from './capture-intake.service';
import { CaptureStartService } from './capture-start.service';
import { CaptureHandlers } from './capture.handlers';
import { CaptureMetrics } from './capture.metrics';
import { CaptureService } from './capture.service';
import { PreviewService } from './preview.service';

@Module({
  imports: [PayloadModule, MappingModule, SignatureModule, WebhookStartModule],
  controllers: [CaptureHandlers],
  providers: [CaptureIntakeService, CaptureService, PreviewService, CaptureStartService, CaptureMetrics],
})
export class CaptureModule {}
