import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { LoginService } from './login.service';

/** Removes login sessions a day after they expired, in every replica. */
@Injectable()
export class LoginSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly logins: LoginService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('expired logins', this.config.SWEEP_MS, () =>
      this.logins.removeExpiredSessions(() => this.tasks.stopping),
    );
  }
}
