/**
 * One entity; the actor's id is the entity's. Its Definition names the states and events; the events below exist for
 * all entities. Source: contract 3, "entity source"; contract 6, "Entity inputs".
 * Names in Definitions have no slash; names with a slash are reserved for Troupe.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import type { Stamp } from './words.ts'

/** The lifecycle in a Definition. */
export interface EntityStates {
  initial: string
  states: Record<string, { on?: Record<string, string>; final?: boolean }>
}

export interface EntityContext {
  /** Starts at 1, incremented by every change. */
  version: number
}

/** Replaces the data; the state stays. */
export const update = 'entity/update'
/** Accepted in every state, including final ones. */
export const remove = 'entity/delete'
/** The state of a deleted entity. */
export const deleted = 'entity/deleted'
/** Around the states of the Definition: what each of them has besides. */
const living = 'entity/living'

/** An event of the Definition, or one of the two above. A given version must match the entity's. */
export type EntityEvent = Stamp & { type: string; expectedVersion?: number }

/** Throws XState's errors for an invalid statechart. A final state is one without transitions. */
export const createEntityMachine = (id: string, { initial, states }: EntityStates) => {
  const stays = { guard: 'versionExpected', actions: 'countVersion' } as const
  const counted = (target: string) => ({ target, ...stays })
  const rows = Object.entries(states).map(([state, { on = {} }]) => {
    const moves = Object.entries(on).map(([event, target]) => [event, counted(target)])
    return [state, { on: Object.fromEntries(moves) }]
  })
  return setup({
    types: {
      context: {} as EntityContext,
      events: {} as EntityEvent,
    },
    guards: {
      versionExpected: ({ context, event }) =>
        event.expectedVersion === undefined || event.expectedVersion === context.version,
    },
    actions: {
      countVersion: assign(({ context }) => ({ version: context.version + 1 })),
    },
  }).createMachine({
    id,
    version: '1',
    context: { version: 1 },
    initial: living,
    states: {
      [living]: { on: { [update]: stays, [remove]: counted(deleted) }, initial, states: Object.fromEntries(rows) },
      [deleted]: {},
    },
  })
}

/** An example: each Definition has its own machine. */
export const exampleMachine = createEntityMachine('entity', {
  initial: 'open',
  states: {
    open: { on: { pay: 'paid', cancel: 'canceled' } },
    paid: { on: { ship: 'shipped' } },
    shipped: { final: true },
    canceled: { final: true },
  },
})

const life = 'Data with a lifecycle, written by operations.'
const ownNames =
  "Names with a slash are Troupe's and exist in every such statechart: `entity/update` replaces the data and " +
  'keeps the state; `entity/delete` deletes the entity, also in a final state.'

/** Descriptions of the entities' statecharts. Source: contract 3, "entity source"; contract 6, "Entities". */
export const entityChart = {
  title: 'Entity',
  about:
    `${life} Each entity follows the statechart of its Definition: this one, of an order, is an example, and ` +
    `\`GET /api/v1/actors/entity/{id}/machine\` returns that of one entity. ${ownNames} A call through a Deployment with ` +
    'another revision of the Definition moves the entity to the statechart of that revision, if that has the state of ' +
    'the entity.',
  aboutOwn: `${life} Its states and events are those of its Definition. ${ownNames}`,
  machine: exampleMachine,
  input: undefined,
  events: {
    create: {
      by: 'command',
      says: 'An operation with the action `create`: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`, a tool call of a run, or a step of a workflow.',
    },
    'entity/update': {
      by: 'command',
      says: 'An operation with the action `update` replaces the data: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`, a tool call of a run, or a step of a workflow.',
    },
    'entity/delete': {
      by: 'command',
      says: 'An operation with the action `delete` deletes the entity: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`, a tool call of a run, or a step of a workflow.',
    },
  },
  otherEvents: {
    by: 'command',
    says: 'An operation with this event: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`, a tool call of a run, or a step of a workflow.',
  },
  guards: {
    versionExpected: 'The event names the current version of the entity, or none.',
  },
  deadlines: {},
  effects: {},
} satisfies ChartOf<typeof exampleMachine>
