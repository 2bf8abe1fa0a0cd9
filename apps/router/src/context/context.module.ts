import { Module, type DynamicModule } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext } from './router-context';
import { RouterMetrics } from './router.metrics';

@Module({})
export class ContextModule {
  static forRoot(config: RouterConfig): DynamicModule {
    return {
      module: ContextModule,
      global: true,
      providers: [RouterContext, RouterMetrics, { provide: ROUTER_CONFIG, useValue: config }],
      exports: [RouterContext, RouterMetrics, ROUTER_CONFIG],
    };
  }
}
