import { Module } from '@nestjs/common';
import { CreditHandlers } from './credit.handlers';
import { CreditService } from './credit.service';

@Module({ controllers: [CreditHandlers], providers: [CreditService], exports: [CreditService] })
export class CreditModule {}
