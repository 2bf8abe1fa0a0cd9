import type { OfferFrame } from '@batuta/agent-protocol';

/**
 * Removes values and flow from an offer once a copy of it, or another process, runs them, so that whatever still refers to the offer
 * keeps none of them in memory.
 */
export function clearOffer(offer: OfferFrame): void {
  offer.matrix = [];
  offer.vault = {};
  offer.flow = null;
}
