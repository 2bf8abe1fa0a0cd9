import { Module } from '@nestjs/common';
import { OriginModule } from '../origins/origin.module';
import { MappingController } from './mapping.controller';

@Module({ imports: [OriginModule], controllers: [MappingController] })
export class MappingModule {}
