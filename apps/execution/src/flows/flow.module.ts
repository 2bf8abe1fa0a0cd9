import { Module } from '@nestjs/common';
import { FlowCache } from './flow-cache';

@Module({ providers: [FlowCache], exports: [FlowCache] })
export class FlowModule {}
