/**
 * One action on many runs. The runs are selected when it begins, and processed in pieces, the oldest first; the actor's
 * id is the bulk action's. Source: contract 14, "Bulk".
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from '../charts/chart.ts'
import type { Cause, Stamp } from '../words.ts'

export const bulkActionStates = ['running', 'completed', 'canceled', 'failed'] as const

/** The most failures that are kept. */
export const bulkFailuresMax = 20

/** A run for which the action was refused. */
export interface BulkFailure extends Cause {
  agentRunId: string
}

export interface BulkActionContext {
  /** The number of selected runs. */
  matched: number
  /** The number of processed pieces, so that a repeated report counts once. */
  pieces: number
  /** The numbers of runs for which the action succeeded, and for which it was refused. */
  done: number
  failed: number
  /** The first failures. */
  failures: BulkFailure[]
  cause: Cause | null
  endedAt: number | null
}

export type BulkActionEvent =
  | (Stamp & {
      type: 'advanced'
      piece: number
      done: number
      failed: number
      failures: BulkFailure[]
      /** There is no further piece. */
      isThrough: boolean
    })
  /** The action cannot continue. */
  | (Stamp & { type: 'stopped'; cause: Cause })
  | (Stamp & { type: 'cancel' })

type Given = { context: BulkActionContext; event: BulkActionEvent }

const isNext = ({ context, event }: Given): boolean => event.type === 'advanced' && event.piece === context.pieces

export const bulkActionMachine = setup({
  types: {
    input: {} as { matched: number },
    context: {} as BulkActionContext,
    events: {} as BulkActionEvent,
  },
  guards: {
    ofThisPiece: isNext,
    lastPiece: (given) => isNext(given) && given.event.type === 'advanced' && given.event.isThrough,
  },
  actions: {
    count: assign(({ context, event }) =>
      event.type === 'advanced'
        ? {
            pieces: context.pieces + 1,
            done: context.done + event.done,
            failed: context.failed + event.failed,
            failures: [...context.failures, ...event.failures].slice(0, bulkFailuresMax),
          }
        : {},
    ),
    noteCause: assign(({ event }) => (event.type === 'stopped' ? { cause: event.cause } : {})),
    noteEnd: assign(({ event }) => ({ endedAt: event.at })),
    actOnSome: (_, _params: { piece: number }) => {},
  },
}).createMachine({
  id: 'bulk-action',
  version: '1',
  context: ({ input }) => ({
    matched: input.matched,
    pieces: 0,
    done: 0,
    failed: 0,
    failures: [],
    cause: null,
    endedAt: null,
  }),
  initial: 'running',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    'running':   { entry: [{ type: 'actOnSome', params: ({ context }) => ({ piece: context.pieces }) }],
                   on:    { advanced: [{ target: 'completed', guard: 'lastPiece', actions: ['count', 'noteEnd'] },
                                       { target: 'running', guard: 'ofThisPiece', actions: 'count', reenter: true }],
                            stopped:   { target: 'failed', actions: ['noteCause', 'noteEnd'] },
                            cancel:    { target: 'canceled', actions: 'noteEnd' } } },
    'completed': {},
    // the piece in progress is counted
    'canceled':  { on:    { cancel:    { target: 'canceled' },
                            advanced:  { target: 'canceled', guard: 'ofThisPiece', actions: 'count' } } },
    'failed':    {},
  },
})

/** Descriptions of the bulk action's statechart. Source: contract 14, "Bulk". */
export const bulkActionChart = {
  title: 'Bulk action',
  about:
    'Cancels, continues or forks many runs. The runs are selected when it begins, and processed in small pieces, the ' +
    'oldest run first. After a restart the server resumes the current piece; it acts on each run once.',
  machine: bulkActionMachine,
  input: { matched: 3 },
  events: {
    create: { by: 'command', says: '`POST /api/v1/bulk-actions`.' },
    advanced: { by: 'server', says: 'The action has been applied to the runs of a piece, or was refused for them.' },
    stopped: { by: 'server', says: 'The credential that began it has ended, or has lost the permission.' },
    cancel: { by: 'command', says: '`POST /api/v1/bulk-actions/{bulkActionId}/cancel`.' },
  },
  guards: {
    ofThisPiece: 'The report is for the current piece.',
    lastPiece: 'The report is for the current piece, which is the last one.',
  },
  deadlines: {},
  effects: {
    actOnSome: 'Applies the action to the runs of the next piece and reports the results.',
  },
} satisfies ChartOf<typeof bulkActionMachine>
