/** The shapes of simulations: requests and answers. Source: contract 9. */
import { type Static, Type } from '@sinclair/typebox'
import { dataOf, nullable, oneOf, Timestamp } from '../../../platform/http/schema.ts'

/** The most steps of one request. */
const stepsMax = 50
/** The longest wait of a step. */
const waitMsMax = 10 * 365 * 86_400_000
/** The most bytes of a request. */
export const simulationBytesMax = 64 * 1024

const eventType = { minLength: 1, maxLength: 64 }

const EventToSend = Type.Union(
  [
    Type.String({ ...eventType, description: 'The type alone.' }),
    Type.Object({ type: Type.String(eventType) }, { additionalProperties: true }),
  ],
  { description: 'The event, with whatever fields it has.', examples: [{ type: 'cancel' }] },
)

const Assume = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.Boolean(), {
  maxProperties: 20,
  description: 'Results of guards by name; guards that are named here are not evaluated.',
  examples: [{ retriesLeft: false }],
})

const SimulationStep = Type.Object(
  {
    waitMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: waitMsMax,
        description: 'Advances the clock by this time first; each deadline that is due by then fires in order.',
      }),
    ),
    event: Type.Optional(EventToSend),
    assume: Type.Optional(Assume),
  },
  {
    $id: 'SimulationStep',
    minProperties: 1,
    description: 'Time that passes, an event, or time and then an event.',
  },
)

const shared = {
  at: Type.Optional(
    Timestamp(
      'The initial time of the clock; the current time by default. Deadlines that are due by then fire with the first step.',
    ),
  ),
  context: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
      maxProperties: 100,
      description: 'Fields of the context to begin with, instead of those of the copy.',
      examples: [{ retriesLeft: 0 }],
    }),
  ),
  chance: Type.Optional(
    Type.Number({ minimum: 0, maximum: 0.999999, description: 'The random value for jitter; 0 by default.' }),
  ),
  birth: Type.Optional(
    Type.Object(
      { event: EventToSend, assume: Type.Optional(Assume) },
      {
        description:
          'The creation event of the statechart, whose guard is evaluated. Omitted: the first one, and its guard passes. ' +
          'Only for a simulation from the start.',
      },
    ),
  ),
  steps: Type.Array(SimulationStep, { maxItems: stepsMax, description: 'Applied to the copy in this order.' }),
}

export const SimulationOfMachine = Type.Object(shared, {
  $id: 'MachineSimulationRequest',
  description: 'The steps to simulate from the start.',
})
export type SimulationOfMachine = Static<typeof SimulationOfMachine>

export const SimulationOfActor = Type.Object(
  {
    from: Type.Optional(
      oneOf(['now', 'start'], {
        description: 'A copy of the actor as it is, unless given; or a new one, by the same statechart.',
      }),
    ),
    ...shared,
  },
  { $id: 'ActorSimulationRequest', description: 'The steps to simulate.' },
)
export type SimulationOfActor = Static<typeof SimulationOfActor>

const Context = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'The context of the statechart, without secrets.',
})
const Timers = Type.Array(Type.Object({ event: Type.String(), dueAt: Timestamp() }), {
  description: 'The deadlines that run, the next one first.',
})
const Standing = {
  state: nullable(Type.String({ description: 'null: it has not been created.' })),
  at: Timestamp('The time of its clock.'),
  context: Context,
  timers: Timers,
}

const SimulatedStep = Type.Object(
  {
    step: nullable(Type.Integer({ minimum: 0, description: 'Which step of the request; null: the creation.' })),
    cause: oneOf(['creation', 'event', 'deadline']),
    event: Type.String(),
    at: Timestamp(),
    from: nullable(Type.String()),
    to: nullable(Type.String({ description: 'Equal to `from` when the state stays.' })),
    accepted: Type.Boolean(),
    rows: Type.Array(
      Type.Object({
        to: Type.String(),
        guard: nullable(Type.String()),
        holds: nullable(Type.Boolean({ description: 'null: the guard cannot be evaluated with this data.' })),
        assumed: Type.Boolean({ description: 'The answer was given with the step.' }),
        taken: Type.Boolean(),
      }),
      { description: 'The rows for this event, in the order in which they are tried, and what their guards say.' },
    ),
    effects: Type.Array(
      Type.Object({
        effect: Type.String(),
        done: oneOf(['commit', 'hint', 'durable'], {
          description:
            '`commit`: with the move, in one unit of work. `durable`: after it, repeated until it is done. `hint`: after ' +
            'it, a wake-up for work that the stored state itself asks for.',
        }),
      }),
      { description: 'The effects that would be requested, in order.' },
    ),
    sequence: nullable(
      Type.Integer({ description: 'The number that the row in the journal would have; null: no row is written.' }),
    ),
    changes: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The fields of the context that have another value, with it.',
    }),
    timers: Timers,
    refusal: nullable(
      Type.Object(
        { status: Type.Integer(), code: Type.String(), message: Type.String() },
        { description: 'The answer that the sender would get.' },
      ),
    ),
  },
  { $id: 'SimulatedStep', description: 'The result of an event or of a due deadline.' },
)

export const Simulation = Type.Object(
  {
    kind: Type.String(),
    machineVersion: Type.String(),
    start: Type.Object(Standing, { description: 'Before the first step.' }),
    steps: Type.Array(SimulatedStep, { description: 'Refused events change nothing, and the next step continues.' }),
    end: Type.Object({
      ...Standing,
      nextEvents: Type.Array(Type.String(), { description: 'Events that the last state has a row for.' }),
    }),
    complete: Type.Boolean({
      description:
        'Whether all steps were executed; false: the simulation ended early because of too many deadlines or changes.',
    }),
  },
  { $id: 'Simulation', description: 'The result of the call. Nothing is stored or executed.' },
)
export type Simulation = Static<typeof Simulation>

export const SimulationAnswer = dataOf(Simulation)
