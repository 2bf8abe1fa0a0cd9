import { webhook, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { MappingService } from './mapping.service';

type Request = RequestsOf<typeof webhook>;
type Reply = RepliesOf<typeof webhook>;

/** Requests of the console about mappings. */
@Controller()
export class MappingHandlers {
  constructor(private readonly mappings: MappingService) {}

  @Handles(webhook.mapping)
  find({ id }: Request['mapping']): Reply['mapping'] {
    return this.mappings.find(id);
  }

  @Handles(webhook.draftMapping)
  replaceDraft({ id, entries, ...by }: Request['draftMapping']): Reply['draftMapping'] {
    return this.mappings.replaceDraft(id, entries, by);
  }

  @Handles(webhook.saveMapping)
  save({ id, ...by }: Request['saveMapping']): Reply['saveMapping'] {
    return this.mappings.save(id, by);
  }
}
