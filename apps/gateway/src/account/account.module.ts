import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { AccountController } from './account.controller';

@Module({ imports: [AuthorizationModule], controllers: [AccountController] })
export class AccountModule {}
