import { claims } from './claims.mjs';
import { firing } from './firing.mjs';
import { frames } from './frames.mjs';
import { garbage } from './garbage.mjs';
import { lists } from './lists.mjs';
import { logins } from './logins.mjs';
import { logs } from './logs.mjs';
import { management } from './management.mjs';
import { queues } from './queues.mjs';
import { quotas } from './quotas.mjs';
import { senders } from './senders.mjs';
import { starts } from './starts.mjs';
import { strangers } from './strangers.mjs';
import { streams } from './streams.mjs';

/**
 * Every trick: `name`, `what` it does in words, `prepare` (once, before the attack), `round` (again and again), `isLong` for one that
 * the short form leaves out, because it waits for the clock, and the answers that it gets at least once (`some`) or never (`none`).
 */
export const TRICKS = [
  logs,
  claims,
  strangers,
  frames,
  lists,
  firing,
  streams,
  quotas,
  starts,
  management,
  logins,
  senders,
  garbage,
  queues,
];
