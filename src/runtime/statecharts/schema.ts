/** The shapes of the statechart API. Source: contract 9; contract 5, "Machines" and `Transition`. */
import { type Static, Type } from '@sinclair/typebox'
import { Revoked, SentEvent } from '../../platform/http/event-stream.ts'
import { dataOf, itemsOf, nullable, Timestamp } from '../../platform/http/schema.ts'
import { Transition } from '../transition.ts'
import type { ChartJson } from './chart-json.ts'
import type { ChartLayouts } from './layouts/chart-layout.ts'
import { journalLength } from './live/view.ts'

const kind = Type.String({ description: 'The kind of actor.', examples: ['run'] })

const title = Type.String({ description: 'The name of its actors.', examples: ['Agent run'] })
const about = Type.String({
  description: 'A description of such an actor and its states. Lists show its first sentence.',
})

export const MachineList = itemsOf(
  Type.Object(
    { kind, version: Type.String(), title, about },
    { $id: 'MachineSummary', description: 'A statechart, in short.' },
  ),
)

export const MachinePath = Type.Object({
  kind: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The kind of actor.',
    examples: ['run'],
    parameter: 'MachineKind',
  }),
})

export const Machine = dataOf(
  Type.Object(
    {
      kind,
      title,
      about,
      version: Type.String({ description: 'The version of the statechart; stored actors are migrated to it.' }),
      states: Type.Array(Type.String()),
      groups: Type.Array(
        Type.Object({
          name: Type.String(),
          parent: nullable(Type.String({ description: 'The group around it.' })),
          states: Type.Array(Type.String(), { description: 'Including those of nested groups.' }),
        }),
        { description: 'States that belong together, or have transitions in common. An actor is in one of `states`.' },
      ),
      transitions: Type.Array(
        Type.Object({
          from: nullable(Type.String({ description: 'null: creates the actor.' })),
          event: Type.String({ description: 'A deadline is an event, named as in the journal.' }),
          guard: nullable(Type.String({ description: 'The guard that must pass; rows are tried in order.' })),
          to: Type.String({ description: 'Equal to `from` when the state stays.' }),
          effects: Type.Array(Type.String(), { description: 'The requested effects, in order.' }),
          declaredAt: nullable(
            Type.String({ description: 'The state or the group that declares it, for all of its states.' }),
          ),
          declaredTo: Type.String({
            description: 'The declared target; the group itself if each of its states remains.',
          }),
        }),
      ),
      events: Type.Array(
        Type.Object({
          event: Type.String(),
          by: Type.Union([Type.Literal('command'), Type.Literal('report'), Type.Literal('server')], {
            description:
              'Who sends it: a client, as a command; a runner, a provider or an endpoint, as a report; or ' +
              'the server by itself.',
          }),
          says: Type.String({
            description: 'When it is sent; for a command, by which operation of this API. In Markdown.',
          }),
        }),
        { description: 'The meaning of each event. Deadlines are in `deadlines`.' },
      ),
      guards: Type.Array(
        Type.Object({ guard: Type.String(), holdsWhen: Type.String({ description: 'The condition of the guard.' }) }),
        { description: 'The meaning of each guard.' },
      ),
      effects: Type.Array(
        Type.Object({ effect: Type.String(), bringsAbout: Type.String({ description: 'What comes of it.' }) }),
        { description: 'The meaning of each effect.' },
      ),
      deadlines: Type.Array(
        Type.Object({
          event: Type.String({ description: 'The event that fires when the time is up.' }),
          states: Type.Array(Type.String(), { description: 'The state in which it runs, from entry to exit.' }),
          limits: Type.String({ description: 'What it limits.' }),
          defaultMs: nullable(
            Type.Integer({ minimum: 0, description: 'The default duration; null: each actor has its own.' }),
          ),
          setting: nullable(Type.String({ description: 'The setting of the server that changes it.' })),
        }),
        { description: 'The meaning of each deadline.' },
      ),
      xstate: Type.Unsafe<ChartJson>({
        type: 'object',
        additionalProperties: true,
        description: "A config for XState's `createMachine`; it opens in Stately's editor.",
      }),
      mermaid: Type.String({ description: 'A Mermaid `stateDiagram-v2`.' }),
      layouts: nullable(
        Type.Unsafe<ChartLayouts>({
          type: 'object',
          additionalProperties: true,
          description:
            'Where everything is drawn, `down` and `right`: boxes of states and groups by name, the lines of ' +
            '`edges` by `{declaredAt} → {declaredTo}` with their labels, in pixels. null: it is not laid out.',
        }),
      ),
    },
    { $id: 'Machine', description: 'A statechart: its table, and what the words in it mean.' },
  ),
)

export const ActorPath = Type.Object({
  id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$', description: 'The id of the resource.', parameter: 'ActorId' }),
})

const timers = Type.Array(Type.Object({ event: Type.String(), dueAt: Timestamp() }), {
  description: 'The deadlines that run.',
})
const nextEvents = Type.Array(Type.String(), {
  description: 'Events that the state has a row for; a guard may still refuse.',
})

const Actor = Type.Object(
  {
    address: Type.Object({ kind, id: Type.String() }),
    machineVersion: Type.String(),
    state: Type.String(),
    version: Type.Integer({ minimum: 1, description: 'Grows with every stored change.' }),
    context: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The context of the statechart, without secrets.',
    }),
    timers,
    nextEvents,
    journal: Type.Array(Transition, { maxItems: journalLength, description: 'The last ones, ascending.' }),
  },
  { $id: 'Actor', description: 'The state of one resource in its statechart.' },
)

export const ActorState = dataOf(Actor)

const End = SentEvent('end', Type.Object({ sequence: Type.Integer({ minimum: 0 }), state: Type.String() }))

export const ActorEvent = Type.Union(
  [
    SentEvent('actor.snapshot', Actor),
    SentEvent('actor.transition', Type.Object({ ...Transition.properties, nextEvents, timers })),
    End,
    Revoked,
  ],
  { $id: 'ActorEvent', description: 'An event of the stream of an actor.' },
)

/** The part of a transition for the page around an embedded chart, which may be public. */
const EmbeddedTransition = Type.Pick(Transition, ['sequence', 'from', 'to', 'event', 'at'])

export const EmbeddedActorEvent = Type.Union(
  [
    SentEvent(
      'actor.snapshot',
      Type.Object({
        ...Type.Pick(Actor, ['address', 'machineVersion', 'state']).properties,
        journal: Type.Array(EmbeddedTransition),
      }),
    ),
    SentEvent('actor.transition', EmbeddedTransition),
    End,
    Revoked,
  ],
  { $id: 'EmbeddedActorEvent', description: 'An event of the stream of an embedded actor.' },
)

const eventType = { minLength: 1, maxLength: 64 }

export const PreviewBody = Type.Object(
  {
    event: Type.Union(
      [
        Type.String({ ...eventType, description: 'The type alone.' }),
        Type.Object({ type: Type.String(eventType) }, { additionalProperties: true }),
      ],
      { description: 'The event to try, with whatever fields it has.', examples: [{ type: 'cancel' }] },
    ),
  },
  { $id: 'EventPreview', description: 'An event to try.' },
)
export type PreviewBody = Static<typeof PreviewBody>

export const PreviewResult = dataOf(
  Type.Object(
    {
      accepted: Type.Boolean(),
      state: Type.String({ description: 'After the event; the present one when it is not accepted.' }),
      effects: Type.Array(Type.String(), { description: 'The effects that would be requested, in order.' }),
    },
    { $id: 'EventPreviewResult', description: 'The result of the event.' },
  ),
)

export const VerifyResult = dataOf(
  Type.Object(
    {
      valid: Type.Boolean(),
      storedState: Type.String(),
      replayedState: nullable(Type.String({ description: 'The state at which the replay ended or failed.' })),
      problem: nullable(Type.String({ description: 'The problem and its place.' })),
    },
    { $id: 'ActorVerification', description: 'Whether the journal leads to the stored state.' },
  ),
)
