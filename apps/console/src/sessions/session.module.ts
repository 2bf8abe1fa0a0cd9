import { Store } from '@batuta/database';
import { AllowanceRepository, RateLimiter } from '@batuta/rate';
import { Global, Module } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { CallLimit } from './call-limit';
import { LoginService } from './login.service';
import { LoginSweeps } from './login.sweeps';
import { OperatorAccount } from './operator-account';
import { PasswordHasher } from './password-hasher';
import { SessionController } from './session.controller';

const rateLimiter = {
  provide: RateLimiter,
  inject: [Store, CONSOLE_CONFIG],
  useFactory: (store: Store, { READ_TIMEOUT_MS }: ConsoleConfig) =>
    // The sweep of the gateway deletes the rows of past minutes.
    new RateLimiter(new AllowanceRepository(store, READ_TIMEOUT_MS)),
};

/** Global, because the SessionGuard of every route needs the LoginService and the CallLimit. */
@Global()
@Module({
  controllers: [SessionController],
  providers: [rateLimiter, CallLimit, LoginService, LoginSweeps, OperatorAccount, PasswordHasher],
  exports: [CallLimit, LoginService, PasswordHasher],
})
export class SessionModule {}
