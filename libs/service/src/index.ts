export { GaugeRounds, type MeasuredGauges } from './gauge-rounds';
export { PeriodicTasks, type PeriodicTask } from './periodic-tasks';
export { ServiceModule } from './service.module';
export { openResources, type ServiceResources } from './service-resources';
