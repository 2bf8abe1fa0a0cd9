import { environmentRules } from './environment-rules';
import { networkRules, productionNetworkRules } from './network-rules';
import { podRules } from './pod-rules';
import { productionRules, wiringRules } from './wiring-rules';

/** The rules of every overlay, by name. */
export const RULES = { ...podRules, ...environmentRules, ...wiringRules, ...networkRules };
/** The rules of the overlay production alone, by name. */
export const PRODUCTION_RULES = { ...productionRules, ...productionNetworkRules };
export const ALL_RULES = { ...RULES, ...PRODUCTION_RULES };
export type RuleName = keyof typeof ALL_RULES;
