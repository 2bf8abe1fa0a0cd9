import { KeyRing } from '@batuta/secrets';
import { Module } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { VaultController } from './vault.controller';
import { VaultService } from './vault.service';

@Module({
  controllers: [VaultController],
  providers: [
    VaultService,
    {
      provide: KeyRing,
      useFactory: ({ SECRET_KEYS }: ConsoleConfig) => new KeyRing(SECRET_KEYS),
      inject: [CONSOLE_CONFIG],
    },
  ],
})
export class VaultModule {}
