/**
 * One recovery of a webhook's missed deliveries, in batches: first its dead letters, then the events of the times in
 * which it was disabled. The actor's id is the recovery's. Source: contract 7, "Decided since".
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import type { Cause, Stamp } from './words.ts'

export const recoverables = ['dead-letter', 'missed'] as const
export type Recoverable = (typeof recoverables)[number]

export const recoveryStates = ['running', 'completed', 'canceled', 'failed'] as const

export interface RecoveryContext {
  /** The remaining sources; the first one is in progress. */
  left: Recoverable[]
  /** Batches so far, so that a repeated report counts once. */
  pieces: number
  /** The last retried dead letter. */
  afterDelivery: string
  /** The last processed sequence number of the history. */
  afterSequence: number
  /** Retried dead letters and deliveries created for missed events. */
  retried: number
  made: number
  cause: Cause | null
  endedAt: number | null
}

export type RecoveryEvent =
  | (Stamp & {
      type: 'advanced'
      piece: number
      retried: number
      made: number
      afterDelivery: string
      afterSequence: number
      /** The current source is exhausted. */
      isThrough: boolean
    })
  /** The recovery cannot continue. */
  | (Stamp & { type: 'stopped'; cause: Cause })
  | (Stamp & { type: 'cancel' })

type Given = { context: RecoveryContext; event: RecoveryEvent }

const isNext = ({ context, event }: Given): boolean => event.type === 'advanced' && event.piece === context.pieces

export const webhookRecoveryMachine = setup({
  types: {
    input: {} as { states: Recoverable[]; afterSequence: number },
    context: {} as RecoveryContext,
    events: {} as RecoveryEvent,
  },
  guards: {
    ofThisPiece: isNext,
    lastPiece: (given) =>
      isNext(given) && given.event.type === 'advanced' && given.event.isThrough && given.context.left.length === 1,
  },
  actions: {
    advance: assign(({ context, event }) =>
      event.type === 'advanced'
        ? {
            left: event.isThrough ? context.left.slice(1) : context.left,
            pieces: context.pieces + 1,
            afterDelivery: event.afterDelivery,
            afterSequence: event.afterSequence,
            retried: context.retried + event.retried,
            made: context.made + event.made,
          }
        : {},
    ),
    noteCause: assign(({ event }) => (event.type === 'stopped' ? { cause: event.cause } : {})),
    noteEnd: assign(({ event }) => ({ endedAt: event.at })),
    recoverSome: (_, _params: { piece: number }) => {},
  },
}).createMachine({
  id: 'webhook-recovery',
  version: '1',
  context: ({ input }) => ({
    left: input.states,
    pieces: 0,
    afterDelivery: '',
    afterSequence: input.afterSequence,
    retried: 0,
    made: 0,
    cause: null,
    endedAt: null,
  }),
  initial: 'running',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    'running':   { entry: [{ type: 'recoverSome', params: ({ context }) => ({ piece: context.pieces }) }],
                   on:    { advanced: [{ target: '#completed', guard: 'lastPiece', actions: 'advance' },
                                       { target: 'running', guard: 'ofThisPiece', actions: 'advance', reenter: true }],
                            stopped:   { target: '#failed', actions: 'noteCause' },
                            cancel:    { target: '#canceled' } } },
    terminal: {  entry: 'noteEnd', initial: 'completed', states: {
      'completed': { id: 'completed' },
      'canceled':  { id: 'canceled',
                     on:    { cancel:  { target: 'canceled' } } },
      'failed':    { id: 'failed' },
    } },
  },
})

const pathOfWebhook = '/api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}'

/** Descriptions of the recovery's statechart. Source: contract 7, "Decided since". */
export const webhookRecoveryChart = {
  title: 'Webhook recovery',
  about:
    'Puts the missed deliveries of a webhook back into the queue: its dead letters, then the events of the times in ' +
    'which it was disabled. The work is done in batches; after a restart the server resumes the current batch.',
  machine: webhookRecoveryMachine,
  input: { states: ['dead-letter', 'missed'], afterSequence: 0 },
  events: {
    create: { by: 'command', says: `\`POST ${pathOfWebhook}/recover\`.` },
    advanced: { by: 'server', says: 'A batch was put back into the queue.' },
    stopped: { by: 'server', says: 'The webhook was disabled in the meantime.' },
    cancel: { by: 'command', says: `\`POST ${pathOfWebhook}/recoveries/{recoveryId}/cancel\`.` },
  },
  guards: {
    ofThisPiece: 'The report is for the current batch.',
    lastPiece: 'The report is for the current batch, which is the last one.',
  },
  deadlines: {},
  effects: {
    recoverSome: 'Puts the next batch back into the queue and reports it.',
  },
} satisfies ChartOf<typeof webhookRecoveryMachine>
