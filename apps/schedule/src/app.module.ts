import { ServiceModule, type ServiceResources } from '@batuta/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { SCHEDULE_CONFIG, type ScheduleConfig } from './config';
import { FiringModule } from './firing/firing.module';
import { NominalClock } from './nominal-clock';
import { ScheduleModule } from './schedules/schedule.module';

/** Global, so that every feature module may inject the settings and the clock. */
@Module({})
export class ScheduleAppModule {
  static forRoot(config: ScheduleConfig, resources: ServiceResources, clock: NominalClock): DynamicModule {
    return {
      module: ScheduleAppModule,
      global: true,
      imports: [ServiceModule.forRoot(resources), FiringModule, ScheduleModule],
      providers: [
        { provide: SCHEDULE_CONFIG, useValue: config },
        { provide: NominalClock, useValue: clock },
      ],
      exports: [SCHEDULE_CONFIG, NominalClock],
    };
  }
}
