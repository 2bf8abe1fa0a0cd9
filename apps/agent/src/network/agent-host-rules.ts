import { HostRules, type HostRefusalWording } from '@batuta/network';
import { StepError } from '../step-error';

/** A step may not connect to this host. */
export class StepHostRefusedError extends StepError {}

const AGENT_WORDING: HostRefusalWording = {
  program: 'the agent',
  allowSetting: 'BATUTA_AGENT_ALLOW_HOSTS',
  denySetting: 'BATUTA_AGENT_DENY_HOSTS',
  refusal: (message) => new StepHostRefusedError(message),
};

/** The rules for the hosts of steps: a refusal is a StepError, whose message people read. */
export function agentHostRules(lists: { allow?: string[]; deny?: string[] } = {}): HostRules {
  return HostRules.of(lists, AGENT_WORDING);
}
