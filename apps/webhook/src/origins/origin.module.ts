import { Module } from '@nestjs/common';
import { OriginHandlers } from './origin.handlers';
import { OriginService } from './origin.service';
import { OriginSweeps } from './origin.sweeps';

@Module({ controllers: [OriginHandlers], providers: [OriginService, OriginSweeps] })
export class OriginModule {}
