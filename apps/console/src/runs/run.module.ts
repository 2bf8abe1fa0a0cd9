import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { RunController } from './run.controller';
import { RunService } from './run.service';

@Module({ imports: [AccessModule], controllers: [RunController], providers: [RunService], exports: [RunService] })
export class RunModule {}
