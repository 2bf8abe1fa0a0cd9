import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { ProcessController } from './process.controller';
import { ProcessRepository } from './process.repository';

@Module({ imports: [AuthorizationModule], controllers: [ProcessController], providers: [ProcessRepository] })
export class ProcessModule {}
