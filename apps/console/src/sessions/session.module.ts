import { Store } from '@batuta/database';
import { AllowanceRepository, RateLimiter } from '@batuta/rate';
import { Global, Module } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { BodyReader } from '../http/body-reader';
import { Invitations } from '../access/invitations';
import { AccountEvents } from './account-events';
import { CallLimit } from './call-limit';
import { LoginService } from './login.service';
import { LoginSweeps } from './login.sweeps';
import { LoginThrottle } from './login-throttle';
import { OperatorAccountSetup } from './operator-account-setup';
import { PasswordHasher } from './password-hasher';
import { PasswordService } from './password.service';
import { DemoController } from './demo.controller';
import { SessionLookups } from './session-lookups';
import { SessionController } from './session.controller';

const rateLimiter = {
  provide: RateLimiter,
  inject: [Store, CONSOLE_CONFIG],
  useFactory: (store: Store, { READ_TIMEOUT_MS }: ConsoleConfig) =>
    // A sweep of the gateway deletes the allowance rows of past minutes, including those that the console writes.
    new RateLimiter(new AllowanceRepository(store, READ_TIMEOUT_MS)),
};

/** Global, because the SessionGuard of every route needs SessionLookups, CallLimit and BodyReader. */
@Global()
@Module({
  controllers: [DemoController, SessionController],
  providers: [
    rateLimiter,
    AccountEvents,
    BodyReader,
    CallLimit,
    Invitations,
    LoginService,
    LoginSweeps,
    LoginThrottle,
    OperatorAccountSetup,
    PasswordHasher,
    PasswordService,
    SessionLookups,
  ],
  exports: [AccountEvents, BodyReader, CallLimit, Invitations, PasswordHasher, PasswordService, SessionLookups],
})
export class SessionModule {}
