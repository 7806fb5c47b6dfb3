/** The statecharts of entities, in words. Source: contract 3, "entity source"; contract 6, "Entities". */
import { exampleMachine } from '../../../automation/entities/actor.ts'
import type { Chart } from './chart.ts'

const life = 'Data with a life of its own, written by operations.'
const ownNames =
  "Whatever has a slash in its name is Troupe's own and in every such statechart: `entity/update` replaces the data and " +
  'leaves the state as it is, `entity/delete` ends the entity, also in a state that nothing else leaves.'

export const entityChart: Chart = {
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
}
