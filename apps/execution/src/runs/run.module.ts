import { Module } from '@nestjs/common';
import { RunDetailsService } from './run-details.service';
import { RunListService } from './run-list.service';
import { RunHandlers } from './run.handlers';
import { StatisticsService } from './statistics.service';

@Module({ controllers: [RunHandlers], providers: [RunDetailsService, RunListService, StatisticsService] })
export class RunModule {}
