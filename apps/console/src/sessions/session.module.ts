import { Global, Module } from '@nestjs/common';
import { BodyReader } from '../http/body-reader';
import { Invitations } from '../shares/invitations';
import { AccountEvents } from './account-events';
import { LoginService } from './login.service';
import { LoginSweeps } from './login.sweeps';
import { LoginThrottle } from './login-throttle';
import { OperatorAccount } from './operator-account';
import { PasswordHasher } from './password-hasher';
import { PasswordService } from './password.service';
import { SessionController } from './session.controller';

/** Global, because the SessionGuard of every route needs LoginService and BodyReader. */
@Global()
@Module({
  controllers: [SessionController],
  providers: [
    AccountEvents,
    BodyReader,
    Invitations,
    LoginService,
    LoginSweeps,
    LoginThrottle,
    OperatorAccount,
    PasswordHasher,
    PasswordService,
  ],
  exports: [AccountEvents, BodyReader, Invitations, LoginService, PasswordHasher, PasswordService],
})
export class SessionModule {}
