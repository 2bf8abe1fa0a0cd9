import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ShareController } from './share.controller';
import { ShareService } from './share.service';

@Module({ imports: [AccessModule], controllers: [ShareController], providers: [ShareService] })
export class ShareModule {}
