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

/** The terminal states. */
export const runEnds = ['completed', 'failed', 'canceled', 'expired'] as const
export type RunEnd = (typeof runEnds)[number]

export const runStates = [...liveRunStates, ...runEnds] as const
export type RunState = (typeof runStates)[number]

const ends: ReadonlySet<string> = new Set(runEnds)

export const isRunEnd = (state: string): state is RunEnd => ends.has(state)

/** States in which runs stay and accumulate; all others are transient. */
export const settledRunStates = [
  'awaitingToolResult',
  'awaitingDelegateResult',
  ...runEnds,
] as const satisfies readonly RunState[]
