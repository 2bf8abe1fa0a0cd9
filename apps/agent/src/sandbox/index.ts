export { Sandbox, SANDBOX_DEFAULTS, type CodeRunner, type SandboxSettings } from './sandbox';
export { SandboxError, type SandboxErrorKind } from './sandbox-error';
