import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { MatrixModule } from '../matrix/matrix.module';
import { CompanyProcessController } from './company-process.controller';
import { ProcessController } from './process.controller';
import { ProcessService } from './process.service';

@Module({
  imports: [AccessModule, MatrixModule],
  controllers: [ProcessController, CompanyProcessController],
  providers: [ProcessService],
})
export class ProcessModule {}
