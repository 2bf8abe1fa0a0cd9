import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { ProcessesController } from './process.controller';
import { ProcessRepository } from './process.repository';

@Module({ imports: [AuthorizationModule], controllers: [ProcessesController], providers: [ProcessRepository] })
export class ProcessModule {}
