/** Injects the settings, a GatewayConfig. */
export const GATEWAY_CONFIG = Symbol('GATEWAY_CONFIG');
