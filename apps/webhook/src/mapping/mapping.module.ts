import { Module } from '@nestjs/common';
import { MappingCache } from './evaluation/mapping-cache';
import { MappingHandlers } from './mapping.handlers';
import { MappingService } from './mapping.service';

@Module({ controllers: [MappingHandlers], providers: [MappingService, MappingCache], exports: [MappingCache] })
export class MappingModule {}
