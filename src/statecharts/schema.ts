/** The shapes of the statechart API. Source: contract 9; contract 5, "Machines" and `Transition`. */
import { type Static, Type } from '@sinclair/typebox'
import { dataOf, itemsOf, nullable, Timestamp } from '../http/schema.ts'
import { Transition } from '../runtime/journal.ts'
import type { ChartJson } from './chart-json.ts'
import { journalLength } from './view.ts'

const kind = Type.String({ description: 'The kind of actor.', examples: ['run'] })

export const MachineList = itemsOf(
  Type.Object({ kind, version: Type.String(), title: Type.String({ examples: ['Agent run'] }) }),
)

export const MachinePath = Type.Object({ kind: Type.String({ minLength: 1, maxLength: 64 }) })

export const Machine = dataOf(
  Type.Object({
    kind,
    title: Type.String(),
    version: Type.String({ description: 'Of the statechart; stored actors are brought up to it.' }),
    states: Type.Array(Type.String()),
    transitions: Type.Array(
      Type.Object({
        from: Type.String(),
        event: Type.String({ description: 'A deadline is an event, named as in the journal.' }),
        guard: nullable(Type.String({ description: 'What has to hold; rows are tried in order.' })),
        to: Type.String({ description: 'Equal to `from` when the state stays.' }),
        effects: Type.Array(Type.String(), { description: 'What is asked for, in order.' }),
      }),
    ),
    xstate: Type.Unsafe<ChartJson>({
      type: 'object',
      additionalProperties: true,
      description: "A config for XState's `createMachine`; it opens in Stately's editor.",
    }),
    mermaid: Type.String({ description: 'A Mermaid `stateDiagram-v2`.' }),
  }),
)

export const ActorPath = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'The id of the resource.' }),
})

export const ActorState = dataOf(
  Type.Object({
    address: Type.Object({ kind, id: Type.String() }),
    machineVersion: Type.String(),
    state: Type.String(),
    version: Type.Integer({ minimum: 1, description: 'Grows with every stored change.' }),
    context: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What the statechart decides on, without anything secret.',
    }),
    timers: Type.Array(Type.Object({ event: Type.String(), dueAt: Timestamp() }), {
      description: 'The deadlines that run.',
    }),
    nextEvents: Type.Array(Type.String(), {
      description: 'Events that the state has a row for; a guard may still refuse.',
    }),
    journal: Type.Array(Transition, { maxItems: journalLength, description: 'The last ones, ascending.' }),
  }),
)

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ pattern: '^[0-9]{1,15}$', description: 'The id of the last event that the reader has.' }),
  ),
})

const eventType = { minLength: 1, maxLength: 64 }

export const PreviewBody = Type.Object({
  event: Type.Union(
    [
      Type.String({ ...eventType, description: 'The type alone.' }),
      Type.Object({ type: Type.String(eventType) }, { additionalProperties: true }),
    ],
    { description: 'The event to try, with whatever fields it has.', examples: [{ type: 'cancel' }] },
  ),
})
export type PreviewBody = Static<typeof PreviewBody>

export const PreviewResult = dataOf(
  Type.Object({
    accepted: Type.Boolean(),
    state: Type.String({ description: 'After the event; the present one when it is not accepted.' }),
    effects: Type.Array(Type.String(), { description: 'What would be asked for, in order.' }),
  }),
)

export const VerifyResult = dataOf(
  Type.Object({
    valid: Type.Boolean(),
    storedState: Type.String(),
    replayedState: nullable(Type.String({ description: 'Where the replay ended, or stopped making sense.' })),
    problem: nullable(Type.String({ description: 'What is wrong, and where.' })),
  }),
)
