/** The shapes of the statechart API. Source: contract 9; contract 5, "Machines" and `Transition`. */
import { type Static, Type } from '@sinclair/typebox'
import { dataOf, itemsOf, nullable, Timestamp } from '../../platform/http/schema.ts'
import { Transition } from '../transition.ts'
import type { ChartJson } from './chart-json.ts'
import type { ChartLayouts } from './layouts/chart-layout.ts'
import { journalLength } from './live/view.ts'

const kind = Type.String({ description: 'The kind of actor.', examples: ['run'] })

const title = Type.String({ description: 'What its actors are called.', examples: ['Agent run'] })
const about = Type.String({
  description: 'What such an actor is, and what its states have in common. The first sentence stands for it in lists.',
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
      version: Type.String({ description: 'Of the statechart; stored actors are brought up to it.' }),
      states: Type.Array(Type.String()),
      groups: Type.Array(
        Type.Object({
          name: Type.String(),
          parent: nullable(Type.String({ description: 'The group around it.' })),
          states: Type.Array(Type.String(), { description: 'Those of the groups within it too.' }),
        }),
        { description: 'States that belong together, or have transitions in common. An actor is in one of `states`.' },
      ),
      transitions: Type.Array(
        Type.Object({
          from: nullable(Type.String({ description: 'null: the actor comes into being.' })),
          event: Type.String({ description: 'A deadline is an event, named as in the journal.' }),
          guard: nullable(Type.String({ description: 'What has to hold; rows are tried in order.' })),
          to: Type.String({ description: 'Equal to `from` when the state stays.' }),
          effects: Type.Array(Type.String(), { description: 'What is asked for, in order.' }),
          declaredAt: nullable(
            Type.String({ description: 'The state or the group that declares it, for all of its states.' }),
          ),
          declaredTo: Type.String({
            description: 'Where it leads as declared; the group itself, where each of its states stays.',
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
        { description: 'What each event means. Deadlines are among `deadlines`.' },
      ),
      guards: Type.Array(
        Type.Object({ guard: Type.String(), holdsWhen: Type.String({ description: 'What it asks.' }) }),
        { description: 'What each guard means.' },
      ),
      effects: Type.Array(
        Type.Object({ effect: Type.String(), bringsAbout: Type.String({ description: 'What comes of it.' }) }),
        { description: 'What each effect means.' },
      ),
      deadlines: Type.Array(
        Type.Object({
          event: Type.String({ description: 'The event that comes when the time is up.' }),
          states: Type.Array(Type.String(), { description: 'Where it runs: from entering the state to leaving it.' }),
          limits: Type.String({ description: 'What it limits.' }),
          defaultMs: nullable(
            Type.Integer({ minimum: 0, description: 'As long as nothing is set; null: each actor has its own.' }),
          ),
          setting: nullable(Type.String({ description: 'The setting of the server that changes it.' })),
        }),
        { description: 'What each deadline means.' },
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

export const ActorState = dataOf(
  Type.Object(
    {
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
    },
    { $id: 'Actor', description: 'Where the statechart of one resource stands.' },
  ),
)

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({ pattern: '^[0-9]{1,15}$', description: 'The id of the last event that the reader has.' }),
  ),
})

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
      effects: Type.Array(Type.String(), { description: 'What would be asked for, in order.' }),
    },
    { $id: 'EventPreviewResult', description: 'What the event would do.' },
  ),
)

export const VerifyResult = dataOf(
  Type.Object(
    {
      valid: Type.Boolean(),
      storedState: Type.String(),
      replayedState: nullable(Type.String({ description: 'Where the replay ended, or stopped making sense.' })),
      problem: nullable(Type.String({ description: 'What is wrong, and where.' })),
    },
    { $id: 'ActorVerification', description: 'Whether the journal leads to the stored state.' },
  ),
)
