/**
 * One recovery of what a webhook has not got: its dead letters first, then the events of the times in which it was disabled,
 * a piece after the other; the actor's id is the recovery's. Source: contract 7, "Decided since".
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import type { Cause, Stamp } from './words.ts'

export const recoverables = ['dead-letter', 'missed'] as const
export type Recoverable = (typeof recoverables)[number]

export const recoveryStates = ['running', 'completed', 'canceled', 'failed'] as const
export type RecoveryState = (typeof recoveryStates)[number]

export interface RecoveryContext {
  /** What is left to be put back, the first of it under way. */
  left: Recoverable[]
  /** Pieces so far: a piece that is told twice counts once. */
  pieces: number
  /** The dead letters up to this one have been put back. */
  afterDelivery: string
  /** The history up to this number has been looked at. */
  afterSequence: number
  /** Dead letters that were put back, and deliveries that were made of what was missed. */
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
      /** There is no more of what is under way. */
      isThrough: boolean
    })
  /** It cannot go on. */
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

/** The statechart of a webhook's recovery, in words. Source: contract 7, "Decided since". */
export const webhookRecoveryChart = {
  title: 'Webhook recovery',
  about:
    'What a webhook has not got is put back into the queue: its dead letters, then the events of the times in which it was ' +
    'disabled. It is done in pieces; a server that starts again goes on with the piece that was under way.',
  machine: webhookRecoveryMachine,
  input: { states: ['dead-letter', 'missed'], afterSequence: 0 },
  events: {
    create: { by: 'command', says: `\`POST ${pathOfWebhook}/recover\`.` },
    advanced: { by: 'server', says: 'A piece has been put back.' },
    stopped: { by: 'server', says: 'The webhook was disabled meanwhile.' },
    cancel: { by: 'command', says: `\`POST ${pathOfWebhook}/recoveries/{recoveryId}/cancel\`.` },
  },
  guards: {
    ofThisPiece: 'It is the piece that was under way.',
    lastPiece: 'It is the piece that was under way, and there is nothing behind it.',
  },
  deadlines: {},
  effects: {
    recoverSome: 'Puts the next piece back into the queue, and reports that.',
  },
} satisfies ChartOf<typeof webhookRecoveryMachine>
