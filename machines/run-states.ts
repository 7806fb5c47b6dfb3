/** Every lifecycle state of a run, in the order of its life. Source: requirement 3, "Agent Run lifecycle states". */
export const runStates = [
  'queued',
  'acquiring',
  'starting',
  'running',
  'awaitingToolResult',
  'awaitingDelegateResult',
  'canceling',
  'completed',
  'failed',
  'canceled',
  'expired',
] as const
export type RunState = (typeof runStates)[number]
