import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AllowedKeysController } from './allowed-keys.controller';
import { AllowedKeysService } from './allowed-keys.service';

@Module({
  imports: [AccessModule],
  controllers: [AllowedKeysController],
  providers: [AllowedKeysService],
  exports: [AllowedKeysService],
})
export class AllowedKeysModule {}
