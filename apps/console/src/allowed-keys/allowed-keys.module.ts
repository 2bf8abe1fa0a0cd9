import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AllowedKeysController } from './allowed-keys.controller';
import { AllowedKeyService } from './allowed-keys.service';

@Module({
  imports: [AccessModule],
  controllers: [AllowedKeysController],
  providers: [AllowedKeyService],
  exports: [AllowedKeyService],
})
export class AllowedKeyModule {}
