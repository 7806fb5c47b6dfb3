/** The lifecycle states of a run, in the order of its life. Source: requirement 3, "Agent Run lifecycle states". */
export const liveRunStates = [
  'queued',
  'acquiring',
  'starting',
  'running',
  'awaitingToolResult',
  'awaitingDelegateResult',
  'canceling',
] as const
export type LiveRunState = (typeof liveRunStates)[number]

/** How runs end. */
export const runEnds = ['completed', 'failed', 'canceled', 'expired'] as const
export type RunEnd = (typeof runEnds)[number]

export const runStates = [...liveRunStates, ...runEnds] as const
export type RunState = (typeof runStates)[number]

const ends: ReadonlySet<string> = new Set(runEnds)

export const isRunEnd = (state: string): state is RunEnd => ends.has(state)

/** States that runs stay in and pile up in; through all others they pass. */
export const settledRunStates = [
  'awaitingToolResult',
  'awaitingDelegateResult',
  ...runEnds,
] as const satisfies readonly RunState[]
