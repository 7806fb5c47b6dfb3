/**
 * One agent job: a query that an Agent is asked on a schedule; the actor's id is the job's. Source: requirement 4.9, 5;
 * contract 6.
 *
 * The chart does not know the calendar: whoever sends an event says when the next tick is. Of each tick there is
 * one record at most, whatever the clock says.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, effect, type Stamp } from './words.ts'

export const firingOutcomes = ['started', 'skipped_overlap', 'missed', 'failed'] as const
export type FiringOutcome = (typeof firingOutcomes)[number]

export const overlaps = ['skip', 'allow'] as const
export type Overlap = (typeof overlaps)[number]

/** A tick that is being dealt with, with those that have come since. */
export interface Firing {
  /** When it was planned for. */
  scheduledFor: number
  /** When it was taken up: later than planned where the server was down. */
  at: number
}

export interface AgentJobContext {
  enabled: boolean
  /** How often the job was changed: whoever changes it says what it has seen. */
  changes: number
  /** The next tick; null while disabled, and while a tick is being dealt with from which the next one is counted. */
  nextRunAt: number | null
  /** The latest tick that was dealt with. */
  lastTickAt: number | null
  firing: Firing | null
}

export type AgentJobEvent =
  /** Fields of the job are stored with this event. `nextRunAt` is null for a disabled job, or where it is not planned anew. */
  | (Stamp & { type: 'change'; seen: number; enabled: boolean; nextRunAt: number | null })
  /** What has come of the ticks up to `lastTickAt`; stored with this event. `cause`: why the last one started no run. */
  | (Stamp & {
      type: 'fired'
      scheduledFor: number
      lastTickAt: number
      outcome: FiringOutcome
      agentRunId: string | null
      nextRunAt: number | null
      cause: Cause | null
    })

/** A firing is asked for again when nothing has come of it for so long. */
const firingMs = 600_000

const hasSeen = ({ changes }: AgentJobContext, event: AgentJobEvent): boolean =>
  event.type === 'change' && event.seen === changes

const isOfThisTick = ({ firing }: AgentJobContext, event: AgentJobEvent): boolean =>
  event.type === 'fired' && event.scheduledFor === firing?.scheduledFor

/** A change that came while the tick was dealt with has planned the next one already. */
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
    })),
    settle: assign(({ context, event }) =>
      event.type === 'fired'
        ? { firing: null, lastTickAt: event.lastTickAt, nextRunAt: nextAfter(context, event) }
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

/** The statechart of an agent job, in words. Source: contract 6, Jobs. */
export const agentJobChart = {
  title: 'Agent job',
  about:
    'A query that an Agent is asked on a schedule. `scheduled`, it waits for its next tick; `firing`, the tick is dealt ' +
    'with: the run is stored together with the record that the tick has had it, so that there is at most one, whatever ' +
    'crashes. After a time without a server the latest tick of the last hour runs, and all others are recorded as missed.',
  machine: agentJobMachine,
  input: {},
  events: {
    create: { by: 'command', says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.' },
    change: {
      by: 'command',
      says: '`PATCH /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}`; first of all `POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.',
    },
    fired: { by: 'server', says: 'The run of the tick is started, or it is settled that there is none.' },
  },
  guards: {
    seen: 'Nobody else has changed the job since its sender looked.',
    seenAndPlanned: 'The same, and the job is enabled, with a next tick.',
    ofThisTick: 'The report is of the tick that is dealt with.',
    ofThisTickAndPlanned: 'The same, and the job is enabled, with a next tick.',
  },
  deadlines: {
    tick: { limits: 'The time until the next tick, as the schedule says.', varies: true },
    firingOverdue: { limits: 'A firing; after that it is asked for again.' },
  },
  effects: {
    fire: 'Starts the run of the latest tick, and reports what has come of it and when the next one is.',
  },
} satisfies ChartOf<typeof agentJobMachine>
