import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { MatrixModule } from '../matrix/matrix.module';
import { ProcessController } from './process.controller';
import { ProcessService } from './process.service';

@Module({ imports: [AccessModule, MatrixModule], controllers: [ProcessController], providers: [ProcessService] })
export class ProcessModule {}
