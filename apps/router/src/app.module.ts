import type { Store } from '@batuta/database';
import type { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { Dispatch } from './dispatch/dispatch';
import { Wishes } from './dispatch/wishes';
import { EnvironmentWatch } from './environments/environment-watch';
import { NotificationHandlers } from './notifications.handlers';
import type { RouterParts } from './parts';

@Module({})
export class RouterModule {
  static of(parts: RouterParts, store: Store, rpc: Rpc, metrics: Metrics): DynamicModule {
    const readiness: ReadinessCheck[] = [
      { name: 'database', check: () => store.ping() },
      { name: 'nats', check: () => rpc.ping() },
    ];
    return {
      module: RouterModule,
      controllers: [HealthController, NotificationHandlers],
      providers: [
        { provide: READINESS, useValue: readiness },
        { provide: Metrics, useValue: metrics },
        { provide: Dispatch, useValue: parts.dispatch },
        { provide: Wishes, useValue: parts.wishes },
        { provide: EnvironmentWatch, useValue: parts.environments },
      ],
    };
  }
}
