import { Abilities } from '@batuta/agent-protocol';
import { execution, notifications, type RepliesOf, type RequestsOf, type InstanceWork } from '@batuta/contracts';
import { Handles, HandlesStreaming, OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { AdoptionService } from './adoption.service';
import { AgentKeys } from './agent-keys';
import { ClaimService } from './claim.service';
import { GrantService } from './grant.service';
import { ReleaseService } from './release.service';
import { ReportService } from './report.service';
import { sealWork } from './sealed-work';

type Request = RequestsOf<typeof execution>;
type Reply = RepliesOf<typeof execution>;

/**
 * Handles the requests of routers about the sessions of their agents: claim, grant, release, report, and the adoption of instances by an
 * agent's next session.
 */
@Controller()
export class DeliveryHandlers {
  constructor(
    private readonly claims: ClaimService,
    private readonly agentKeys: AgentKeys,
    private readonly grants: GrantService,
    private readonly releases: ReleaseService,
    private readonly reports: ReportService,
    private readonly adoptions: AdoptionService,
  ) {}

  @HandlesStreaming(execution.claim)
  async claim(
    { environmentID, sessionID, limit, abilities, publicKey, waitMilliseconds = 0, inParts }: Request['claim'],
    sendAhead: (part: { work: InstanceWork[] }) => void,
  ): Reply['claim'] {
    const key = publicKey === undefined ? undefined : this.agentKeys.parse(publicKey);
    // Secret values are sealed here, because all work goes from here to a router, whether it comes from the queue or by a
    // hand-over.
    const sealed = (work: InstanceWork[]) => {
      const seal = key?.sealer();
      return { work: seal ? work.map((one) => sealWork(one, seal)) : work };
    };
    const sendPart = inParts && ((work: InstanceWork[]) => sendAhead(sealed(work)));
    const request = { sessionID, limit, abilities: Abilities.announced(abilities, publicKey), sendPart };
    return sealed(await this.claims.claim(environmentID, request, waitMilliseconds));
  }

  @OnNotification(notifications.work)
  onWork({ environmentID, from }: { environmentID: string; from?: string }): Promise<void> {
    return this.claims.onWork(environmentID, from);
  }

  @Handles(execution.grant)
  grant({ instanceID, fence, sessionID }: Request['grant']): Reply['grant'] {
    return this.grants.grant(instanceID, fence, sessionID);
  }

  @Handles(execution.release)
  async release({ sessionID, instances }: Request['release']): Reply['release'] {
    return { released: await this.releases.release(sessionID, instances) };
  }

  @Handles(execution.report)
  report(report: Request['report']): Reply['report'] {
    return this.reports.report(report);
  }

  /**
   * Grants the new session the instances that the agent still holds, and returns as `revoked` those that the agent must drop. Instances of the
   * previous session that the agent no longer holds are requeued or ended.
   */
  @Handles(execution.adopt)
  adopt({ sessionID, previousSessionID, held }: Request['adopt']): Reply['adopt'] {
    return this.adoptions.adopt(sessionID, previousSessionID, held);
  }

  @Handles(execution.canAdopt)
  async canAdopt(_request: Request['canAdopt']): Reply['canAdopt'] {
    await this.adoptions.requireWritableDatabase();
    return { ok: true };
  }
}
