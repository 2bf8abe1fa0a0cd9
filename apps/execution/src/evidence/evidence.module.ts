import { Store } from '@batuta/database';
import { Module } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { EvidenceMover } from './evidence-mover';
import { EvidenceQueryService } from './evidence-query.service';
import { EvidenceRemover } from './evidence-remover';
import { EvidenceUploadService } from './evidence-upload.service';
import { EvidenceHandlers } from './evidence.handlers';
import { EvidenceSweeps } from './evidence.sweeps';
import { EvidenceStores } from './stores/evidence-stores';

@Module({
  controllers: [EvidenceHandlers],
  providers: [
    {
      provide: EvidenceStores,
      useFactory: (store: Store, config: ExecutionConfig) => new EvidenceStores(store, config),
      inject: [Store, EXECUTION_CONFIG],
    },
    EvidenceMover,
    EvidenceQueryService,
    EvidenceRemover,
    EvidenceUploadService,
    EvidenceSweeps,
  ],
  exports: [EvidenceRemover],
})
export class EvidenceModule {}
