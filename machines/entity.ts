/**
 * One entity; the actor's id is the entity's. Its states and events are those that its Definition names; what is written
 * around them is the same for all. Source: contract 3, "entity source"; contract 6, "Entity inputs".
 *
 * Names of Definitions have no slash: those with one are Troupe's own.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import type { Stamp } from './words.ts'

/** What a Definition says of the life of its entities. */
export interface EntityStates {
  initial: string
  states: Record<string, { on?: Record<string, string>; final?: boolean }>
}

export interface EntityContext {
  /** 1, 2, 3 …: grows with every change. */
  version: number
}

/** Replaces the data; the state stays. */
export const update = 'entity/update'
/** In every state, also in one that nothing else leaves. */
export const remove = 'entity/delete'
/** Where an entity is that has been deleted. */
export const deleted = 'entity/deleted'
/** Around the states of the Definition: what each of them has besides. */
export const living = 'entity/living'

/** An event of the Definition, or one of the two above. Whoever names a version means that one and no other. */
export type EntityEvent = Stamp & { type: string; expectedVersion?: number }

/** Throws, as XState does, on states that are no statechart. A final state is one without moves, as everywhere here. */
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

/** Stands for all: each Definition brings its own. */
export const exampleMachine = createEntityMachine('entity', {
  initial: 'open',
  states: {
    open: { on: { pay: 'paid', cancel: 'canceled' } },
    paid: { on: { ship: 'shipped' } },
    shipped: { final: true },
    canceled: { final: true },
  },
})

const life = 'Data with a life of its own, written by operations.'
const ownNames =
  "Whatever has a slash in its name is Troupe's own and in every such statechart: `entity/update` replaces the data and " +
  'leaves the state as it is, `entity/delete` ends the entity, also in a state that nothing else leaves.'

/** The statecharts of entities, in words. Source: contract 3, "entity source"; contract 6, "Entities". */
export const entityChart = {
  title: 'Entity',
  about:
    `${life} Each entity is run by the statechart of its Definition: this one, of an order, stands for all of them, and ` +
    `\`GET /api/v1/actors/entity/{id}/machine\` has that of one entity. ${ownNames} A call through a Deployment with ` +
    'another revision of the Definition brings that one: the entity goes on by it, if it has the state that the entity ' +
    'is in.',
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
      says: 'An operation with the action `delete` ends the entity: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`, a tool call of a run, or a step of a workflow.',
    },
  },
  otherEvents: {
    by: 'command',
    says: 'An operation with this event: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`, a tool call of a run, or a step of a workflow.',
  },
  guards: {
    versionExpected: 'The sender names the version that the entity has, or none.',
  },
  deadlines: {},
  effects: {},
} satisfies ChartOf<typeof exampleMachine>
