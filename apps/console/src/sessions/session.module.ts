import { Global, Module } from '@nestjs/common';
import { LoginService } from './login.service';
import { LoginSweeps } from './login.sweeps';
import { OperatorAccount } from './operator-account';
import { PasswordHasher } from './password-hasher';
import { SessionController } from './session.controller';

/** Global, because the SessionGuard of every route needs the LoginService. */
@Global()
@Module({
  controllers: [SessionController],
  providers: [LoginService, LoginSweeps, OperatorAccount, PasswordHasher],
  exports: [LoginService, PasswordHasher],
})
export class SessionModule {}
