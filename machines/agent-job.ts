/**
 * One agent job: a query for an Agent, or a workflow, on a schedule. The actor's id is the job's. Source: requirement
 * 4.9, 5; contract 6.
 * The chart does not compute schedules: the sender of an event gives the next tick. Each tick has at most one record,
 * regardless of clock changes.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, effect, type Stamp } from './words.ts'

export const firingOutcomes = ['started', 'skipped_overlap', 'missed', 'failed'] as const
export type FiringOutcome = (typeof firingOutcomes)[number]

export const overlaps = ['skip', 'allow'] as const

/** A tick being processed, with the ticks that have come due since. */
export interface Firing {
  /** The scheduled time. */
  scheduledFor: number
  /** The start of processing: later than scheduled if the server was down. */
  at: number
}

export interface AgentJobContext {
  enabled: boolean
  /** The number of changes and of steps of ticks, for optimistic concurrency: a change is planned from what it read. */
  changes: number
  /** The next tick; null while disabled, and while a tick is processed from whose end the next one is counted. */
  nextRunAt: number | null
  /** The latest processed tick. */
  lastTickAt: number | null
  firing: Firing | null
}

export type AgentJobEvent =
  /**
   * The job's fields are stored with this event. `nextRunAt` is null for a disabled job and if the schedule is
   * unchanged.
   */
  | (Stamp & { type: 'change'; seen: number; enabled: boolean; nextRunAt: number | null })
  /** The outcome of the ticks up to `lastTickAt`, stored with this event. `cause`: why the last one started no run. */
  | (Stamp & {
      type: 'fired'
      scheduledFor: number
      lastTickAt: number
      outcome: FiringOutcome
      agentRunId: string | null
      workflowRunId: string | null
      nextRunAt: number | null
      cause: Cause | null
    })

/** A firing without an outcome is repeated after this time. */
const firingMs = 600_000

const hasSeen = ({ changes }: AgentJobContext, event: AgentJobEvent): boolean =>
  event.type === 'change' && event.seen === changes

const isOfThisTick = ({ firing }: AgentJobContext, event: AgentJobEvent): boolean =>
  event.type === 'fired' && event.scheduledFor === firing?.scheduledFor

/** A change during the processing of a tick has already set the next one. */
const nextAfter = ({ enabled, nextRunAt }: AgentJobContext, event: AgentJobEvent): number | null =>
  event.type === 'fired' && enabled ? (nextRunAt ?? event.nextRunAt) : null

export const agentJobMachine = setup({
  types: {
    context: {} as AgentJobContext,
    events: {} as AgentJobEvent,
  },
  guards: {
    seen: ({ context, event }) => hasSeen(context, event),
    seenAndPlanned: ({ context, event }) =>
      hasSeen(context, event) && event.type === 'change' && event.enabled && event.nextRunAt !== null,
    ofThisTick: ({ context, event }) => isOfThisTick(context, event),
    ofThisTickAndPlanned: ({ context, event }) => isOfThisTick(context, event) && nextAfter(context, event) !== null,
  },
  delays: {
    tick: ({ context, event }) => Math.max(0, (context.nextRunAt ?? event.at) - event.at),
    firingOverdue: firingMs,
  },
  actions: {
    keepChange: assign(({ context, event }) =>
      event.type === 'change'
        ? { enabled: event.enabled, nextRunAt: event.nextRunAt, changes: context.changes + 1 }
        : {},
    ),
    takeUp: assign(({ context, event }) => ({
      firing: { scheduledFor: context.nextRunAt ?? event.at, at: event.at },
      nextRunAt: null,
      changes: context.changes + 1,
    })),
    settle: assign(({ context, event }) =>
      event.type === 'fired'
        ? {
            firing: null,
            lastTickAt: event.lastTickAt,
            nextRunAt: nextAfter(context, event),
            changes: context.changes + 1,
          }
        : {},
    ),
    stop: assign({ enabled: false }),
    fire: effect,
  },
}).createMachine({
  id: 'agent-job',
  version: '1',
  context: { enabled: false, changes: 0, nextRunAt: null, lastTickAt: null, firing: null },
  initial: 'disabled',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    'disabled':  { on:    { change:        [{ target: 'scheduled', guard: 'seenAndPlanned', actions: 'keepChange' },
                                            { target: 'disabled', guard: 'seen', actions: 'keepChange' }] } },
    'scheduled': { on:    { change:        [{ target: 'scheduled', reenter: true, guard: 'seenAndPlanned', actions: 'keepChange' },
                                            { target: 'disabled', guard: 'seen', actions: 'keepChange' }] },
                   after: { tick:           { target: 'firing', actions: 'takeUp' } } },
    'firing':    { entry: 'fire',
                   on:    { fired:         [{ target: 'scheduled', guard: 'ofThisTickAndPlanned', actions: 'settle' },
                                            { target: 'disabled', guard: 'ofThisTick', actions: ['settle', 'stop'] }],
                            change:         { target: 'firing', guard: 'seen', actions: 'keepChange' } },
                   after: { firingOverdue:  { target: 'firing', reenter: true } } },
  },
})

/** Descriptions of the agent job's statechart. Source: contract 6, Jobs. */
export const agentJobChart = {
  title: 'Agent job',
  about:
    'A query for an Agent, or a workflow on behalf of an Agent, on a schedule. In `scheduled` it waits for its next tick. In `firing` the tick is processed: ' +
    'the run and the record of the tick commit together, so that a crash never causes a second run. After a server ' +
    'outage the latest tick of the last hour runs; all others are recorded as missed.',
  machine: agentJobMachine,
  input: {},
  events: {
    create: { by: 'command', says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.' },
    change: {
      by: 'command',
      says: '`PATCH /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}`; first of all `POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.',
    },
    fired: { by: 'server', says: 'The run of the tick was started, or the tick was recorded without a run.' },
  },
  guards: {
    seen: 'Neither a change nor a tick has come since the sender read the job.',
    seenAndPlanned:
      'Neither a change nor a tick has come since the sender read the job, which is enabled and has a next tick.',
    ofThisTick: 'The report is for the tick being processed.',
    ofThisTickAndPlanned: 'The report is for the tick being processed, and the job is enabled and has a next tick.',
  },
  deadlines: {
    tick: { limits: 'The wait for the next scheduled tick.', varies: true },
    firingOverdue: { limits: 'The processing of a tick, which is then repeated.' },
  },
  effects: {
    fire: 'Starts the run of the latest tick and reports the outcome and the next tick.',
  },
} satisfies ChartOf<typeof agentJobMachine>
