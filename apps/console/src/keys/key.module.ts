import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { KeyController } from './key.controller';
import { KeyService } from './key.service';

@Module({ imports: [AccessModule], controllers: [KeyController], providers: [KeyService] })
export class KeyModule {}
