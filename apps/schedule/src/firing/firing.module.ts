import { Module } from '@nestjs/common';
import { AcceptedStartWriter } from './accepted-start-writer';
import { DueScheduleService } from './due-schedule.service';
import { FiringGauges } from './firing-gauges';
import { FiringStartService } from './firing-start.service';
import { FiringMetrics } from './firing.metrics';
import { FiringSweeps } from './firing.sweeps';
import { MissedTimesService } from './missed-times.service';
import { NextTimeSweeps } from './next-time.sweeps';

/** Turns due schedules into firings, and pending firings into starts (contract 2.9, interpretations 38 and 39). */
@Module({
  providers: [
    FiringMetrics,
    DueScheduleService,
    AcceptedStartWriter,
    FiringStartService,
    MissedTimesService,
    FiringSweeps,
    NextTimeSweeps,
    FiringGauges,
  ],
  exports: [DueScheduleService],
})
export class FiringModule {}
