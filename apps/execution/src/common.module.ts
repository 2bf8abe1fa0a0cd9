import { KeyRing } from '@batuta/secrets';
import { Module, type DynamicModule } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from './config';
import { ExecutionMetrics } from './execution.metrics';

/** Providers for every feature module, besides the resources of `ServiceModule`. */
@Module({})
export class CommonModule {
  static forRoot(config: ExecutionConfig): DynamicModule {
    return {
      module: CommonModule,
      global: true,
      providers: [
        { provide: EXECUTION_CONFIG, useValue: config },
        { provide: KeyRing, useValue: new KeyRing(config.SECRET_KEYS) },
        ExecutionMetrics,
      ],
      exports: [EXECUTION_CONFIG, KeyRing, ExecutionMetrics],
    };
  }
}
