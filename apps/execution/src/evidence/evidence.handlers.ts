import { execution, notifications, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles, OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { EvidenceQueryService } from './evidence-query.service';
import { EvidenceRemover } from './evidence-remover';
import { EvidenceUploadService } from './evidence-upload.service';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

@Controller()
export class EvidenceHandlers {
  constructor(
    private readonly uploads: EvidenceUploadService,
    private readonly queries: EvidenceQueryService,
    private readonly remover: EvidenceRemover,
  ) {}

  @Handles(execution.keepEvidence)
  keepEvidence(request: Request['keepEvidence']): Reply['keepEvidence'] {
    return this.uploads.keep(request);
  }

  @Handles(execution.evidence)
  evidence(request: Request['evidence']): Reply['evidence'] {
    return this.queries.page(request);
  }

  /** The notification may be lost; EvidenceSweeps finds the pictures then. */
  @OnNotification(notifications.processDeleted)
  processDeleted({ processID }: { processID: string }): Promise<void> {
    return this.remover.removeOfProcess(processID);
  }
}
